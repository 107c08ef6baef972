import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { onTestFinished } from "vitest";
import type { FaultServerCommand, JsonObject } from "../../../adapters/testing/index.ts";

/** The official clients: SDK generation and protocol era. */
export const CLIENTS = ["v1", "v2 legacy", "v2 2026-07-28"] as const;
export type ClientName = (typeof CLIENTS)[number];

/** What a test needs of a client, whatever its generation. */
export interface TestClient {
  call(tool: string, args: JsonObject, options?: CallOptions): Promise<unknown>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly timeout?: number;
  readonly onprogress?: () => void;
  readonly signal?: AbortSignal;
}

const SELF = { name: "kit-test", version: "1.0.0" };
const CAPABILITIES = { capabilities: { elicitation: { form: {} } } };

/** Connects a client to a URL or to a command; it is closed when the test ends. */
export async function connect(name: ClientName, target: string | FaultServerCommand): Promise<TestClient> {
  const client = name === "v1" ? await connectV1(target) : await connectV2(name, target);
  onTestFinished(() => client.close());
  return client;
}

async function connectV1(target: string | FaultServerCommand): Promise<TestClient> {
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const client = new ClientV1(SELF, CAPABILITIES);
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { ok: true } }));
  const transport = typeof target === "string" ? new HttpV1(new URL(target)) : new StdioV1(target);
  await client.connect(transport as TransportV1);
  await client.listTools();
  return {
    call: (tool, args, options) => client.callTool({ name: tool, arguments: args }, undefined, { ...options }),
    close: () => client.close(),
  };
}

async function connectV2(name: ClientName, target: string | FaultServerCommand): Promise<TestClient> {
  const modern = name === "v2 2026-07-28" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
  const client = new ClientV2(SELF, { ...CAPABILITIES, ...modern });
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { ok: true } }));
  await client.connect(typeof target === "string" ? new HttpV2(new URL(target)) : new StdioV2(target));
  await client.listTools();
  return {
    call: (tool, args, options) => client.callTool({ name: tool, arguments: args }, { ...options }),
    close: () => client.close(),
  };
}

/** What the SDK made of a call, in a few words: `result`, `isError …`, `timeout`, or the error's name and code. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    const result = await call;
    return field(result, "isError") === true ? `isError ${textOf(result)}` : "result";
  } catch (error) {
    return describe(error);
  }
}

function describe(error: unknown): string {
  const code = field(error, "code");
  if (code === "REQUEST_TIMEOUT" || (code === -32001 && field(field(error, "data"), "timeout") !== undefined))
    return "timeout";
  if (code === "CONNECTION_CLOSED" || code === -32000) return "closed";
  if (error instanceof TypeError) return `${error.message} ${String(field(error.cause, "code"))}`;
  if (String(field(error, "name")).endsWith("ZodError") || code === "INVALID_RESULT") return "invalid result";
  if (error instanceof SyntaxError) return "SyntaxError";
  const status = field(error, "status");
  return `error ${String(status ?? code)}`;
}

function textOf(result: unknown): string {
  const content = field(result, "content");
  return Array.isArray(content) ? String(field(content[0], "text")) : "";
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export const INVOICE = { customer: "acme", order: "o-1", amount: 12 };
