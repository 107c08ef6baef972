/** The official clients under the guard, behind one small face. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { guardClient, guardFetch, guardTransport } from "../../adapters/mcp/index.ts";
import type { FaultPath, FaultServerCommand, HttpFaultServer } from "../../adapters/testing/index.ts";
import type { Guard, JsonObject } from "../../src/index.ts";
import type { Plans } from "./plans.ts";

/** SDK generation and protocol era. */
export type ClientName = "v1" | "v2" | "v2 2026";
export type Target = (FaultServerCommand | (HttpFaultServer & { server: HttpFaultServer; path?: FaultPath })) & Plans;

export interface ConnectOptions {
  /** `transport`: only the transport is guarded, the client is the host's own. @default "client" */
  readonly by?: "client" | "transport";
  /** Use guardFetch below, too. @default false */
  readonly fetch?: boolean;
  /** The SDK's own request timeout, in ms; it decides only where the client is not guarded. */
  readonly timeout?: number;
  /** How long the person takes to answer an elicitation, in ms. @default 0 */
  readonly answersAfter?: number;
  /** A token for the server (v2, HTTP). */
  readonly authProvider?: { token(): Promise<string>; onUnauthorized?(): Promise<void> };
  /** Ask for progress, as a host with a progress bar does. @default false */
  readonly progress?: boolean;
  /** Ask for the tool list after connecting. @default true */
  readonly list?: boolean;
  /** Closed when the test ends. False: outside of a test. @default true */
  readonly cleanUp?: boolean;
}

export interface CaseClient {
  call(tool: string, args: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
}

const SELF = { name: "cases", version: "1.0.0" };
const CAPABILITIES = { capabilities: { elicitation: { form: {} } } };
const YES = { action: "accept" as const, content: { ok: true } };

export async function connectClient(
  guard: Guard,
  server: string,
  name: ClientName,
  target: Target,
  options: ConnectOptions = {},
): Promise<CaseClient> {
  const client = await (name === "v1" ? connectV1 : connectV2)(guard, server, name, target, options);
  if (options.cleanUp !== false) onTestFinished(() => client.close().catch(() => {}));
  return client;
}

type Connect = typeof connectClient;

const connectV1: Connect = async (guard, server, _name, target, options = {}) => {
  const plain = new ClientV1(SELF, CAPABILITIES);
  plain.setRequestHandler(ElicitRequestSchema, () => person(options));
  const transport =
    "url" in target ? new HttpV1(new URL(target.url), fetchOf(guard, server, options)) : stdioV1(target);
  if (options.by === "transport") guardTransport(guard, server, transport);
  const client = options.by === "transport" ? plain : guardClient(guard, server, plain);
  await client.connect(transport as never);
  if (options.list !== false) await client.listTools();
  return {
    call: (tool, args) =>
      client.callTool({ name: tool, arguments: args }, undefined, requestOf(options)) as Promise<JsonObject>,
    close: () => client.close(),
  };
};

const connectV2: Connect = async (guard, server, name, target, options = {}) => {
  const modern = name === "v2 2026" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
  const plain = new ClientV2(SELF, { ...CAPABILITIES, ...modern });
  plain.setRequestHandler("elicitation/create", () => person(options));
  const { authProvider } = options;
  const own = { ...fetchOf(guard, server, options), ...(authProvider && { authProvider }) };
  const transport =
    "url" in target ? new HttpV2(new URL(target.url), own as never) : new StdioV2({ ...commandOf(target) });
  if (options.by === "transport") guardTransport(guard, server, transport);
  const client = options.by === "transport" ? plain : guardClient(guard, server, plain);
  await client.connect(transport as never);
  if (options.list !== false) await client.listTools();
  return {
    call: (tool, args) =>
      client.callTool({ name: tool, arguments: args }, requestOf(options)) as unknown as Promise<JsonObject>,
    close: () => client.close(),
  };
};

const requestOf = ({ timeout, progress }: ConnectOptions) => ({
  ...(timeout !== undefined && { timeout }),
  ...(progress && { onprogress: () => {} }),
});

const fetchOf = (guard: Guard, server: string, { fetch }: ConnectOptions) =>
  fetch ? { fetch: guardFetch(guard, { server }) as never } : {};

async function person({ answersAfter = 0 }: ConnectOptions) {
  await new Promise((resolve) => setTimeout(resolve, answersAfter));
  return YES;
}

const commandOf = ({ command, args, env }: FaultServerCommand) => ({ command, args, env, stderr: "ignore" as const });
const stdioV1 = (target: FaultServerCommand) => new StdioV1(commandOf(target));
