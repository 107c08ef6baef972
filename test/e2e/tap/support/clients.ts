/** The clients under test over the transports under test, behind one small face. */
import { createMCPClient } from "@ai-sdk/mcp";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { guardTransport } from "../../../../adapters/mcp/index.ts";
import type { FaultServerCommand, HttpFaultServer } from "../../../../adapters/testing/index.ts";
import type { GuardedCalls } from "../../../../src/entries/wire.ts";
import type { JsonObject } from "../../../../src/index.ts";

export const CLIENTS = ["v1", "v2-2025", "v2-2026", "ai-sdk"] as const;
export type ClientName = (typeof CLIENTS)[number];
export type Server = FaultServerCommand | HttpFaultServer;

export interface CallOptions {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: () => void;
}

export interface Connected {
  readonly transport: HttpV1 | StdioV1 | HttpV2 | StdioV2;
  call(tool: string, args: JsonObject, options?: CallOptions): Promise<JsonObject>;
  listTools(): Promise<unknown>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly guard?: GuardedCalls;
  readonly fetch?: typeof fetch;
  readonly deadline?: number;
}

export const SERVER = "billing.acme";
const info = { name: "tap-tests", version: "1.0.0" };

export async function connect(name: ClientName, server: Server, options: ConnectOptions = {}): Promise<Connected> {
  const transport = transportFor(name, server, options);
  if (options.guard) {
    guardTransport(
      options.guard,
      SERVER,
      transport,
      options.deadline === undefined ? {} : { deadline: options.deadline },
    );
  }
  if (name === "ai-sdk") return aiSdk(transport as HttpV1);
  if (name === "v1") return v1(transport as HttpV1);
  return v2(transport as HttpV2, name);
}

export function transportFor(name: ClientName, server: Server, { fetch }: ConnectOptions): Connected["transport"] {
  const own = name.startsWith("v2");
  if ("url" in server) {
    const url = new URL(server.url);
    const custom = fetch && { fetch: fetch as never };
    return own ? new HttpV2(url, { ...custom }) : new HttpV1(url, { ...custom });
  }
  const { command, args, env } = server;
  const settings = { command, args, env, stderr: "ignore" as const };
  return own ? new StdioV2(settings) : new StdioV1(settings);
}

export const clientV1 = (capabilities: ClientCapabilities = {}): ClientV1 => new ClientV1(info, { capabilities });

async function v1(transport: HttpV1): Promise<Connected> {
  const client = clientV1();
  await client.connect(transport as never);
  return {
    transport,
    call: (tool, args, options) => client.callTool({ name: tool, arguments: args }, undefined, options) as never,
    listTools: () => client.listTools(),
    close: () => client.close(),
  };
}

type Negotiation = NonNullable<NonNullable<ConstructorParameters<typeof ClientV2>[1]>["versionNegotiation"]>;

export function clientV2(
  name: ClientName,
  versionNegotiation: Negotiation = { mode: { pin: "2026-07-28" } },
  capabilities: NonNullable<NonNullable<ConstructorParameters<typeof ClientV2>[1]>["capabilities"]> = {},
): ClientV2 {
  return new ClientV2(info, { capabilities, ...(name === "v2-2026" && { versionNegotiation }) });
}

async function v2(transport: HttpV2, name: ClientName): Promise<Connected> {
  const client = clientV2(name);
  await client.connect(transport);
  return {
    transport,
    call: (tool, args, options) => client.callTool({ name: tool, arguments: args }, options) as never,
    listTools: () => client.listTools(),
    close: () => client.close(),
  };
}

async function aiSdk(transport: HttpV1): Promise<Connected> {
  const client = await createMCPClient({ transport: transport as never });
  return {
    transport,
    call: (tool, args, options) => client.callTool({ name: tool, arguments: args, options: options as never }) as never,
    listTools: () => client.listTools(),
    close: () => client.close(),
  };
}
