/** A real host (SDK v1 or v2), a real proxy in a process of its own, a real server, a real store. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import type { ProxyTarget } from "../../adapters/surfaces/proxy/index.ts";
import {
  type FaultServerControl,
  type FaultServerOptions,
  faultServerCommand,
  type HttpFaultServer,
  type HttpFaultServerOptions,
  startFaultServer,
} from "../../adapters/testing/index.ts";
import { createGuard, type JsonObject } from "../../src/index.ts";
import { type ProxySettings, SECRET } from "./settings.ts";

export const CLIENTS = ["v1", "v2", "v2 2026"] as const;
export type ClientName = (typeof CLIENTS)[number];
/** Host side, server side. */
export const PAIRINGS = ["stdio to stdio", "http to http", "http to stdio", "stdio to http"] as const;
export type Pairing = (typeof PAIRINGS)[number];

export interface Given {
  readonly pairing: Pairing;
  /** @default "v1" */
  readonly client?: ClientName;
  readonly script?: FaultServerOptions["script"];
  readonly answers?: HttpFaultServerOptions["answers"];
  readonly tools?: ProxySettings["tools"];
  readonly options?: ProxySettings["options"];
  readonly lease?: number;
  /** Instead of the fault server. */
  readonly target?: ProxyTarget;
  /** The host's own request timeout, in ms. @default 20000 */
  readonly timeout?: number;
  /** A header of the host's, over HTTP. */
  readonly headers?: Record<string, string>;
}

export interface Host {
  call(tool: string, args: object, options?: CallOptions): Promise<JsonObject>;
  tools(): Promise<readonly { readonly name: string }[]>;
  close(): Promise<void>;
  readonly client: ClientV1 | ClientV2;
  /** What its proxy said to the operator. */
  said(): string;
  readonly pid: number;
}

export interface CallOptions {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
  readonly meta?: JsonObject;
}

export interface Scene extends Host {
  readonly server: FaultServerControl & Partial<HttpFaultServer>;
  readonly settings: ProxySettings;
  /** Another host, or the same after a restart: over stdio with a proxy of its own, over HTTP at the same one. */
  again(more?: Partial<Given>): Promise<Host>;
  /** `kill -9` of the proxy; over HTTP a new one starts. */
  killProxy(): Promise<void>;
  effects(tool?: string): number;
  landed(count: number): Promise<void>;
  /** Resolves when the one open record is in this state, though nobody received it. */
  recorded(state: string): Promise<void>;
}

export const INVOICE = { customer: "acme", order: "o-1", amount: 12 };
export const textOf = (result: JsonObject): string =>
  (result.content as { text?: string }[]).map(({ text = "" }) => text).join("\n");
export const markOf = (result: JsonObject): JsonObject =>
  ((result._meta as JsonObject | undefined)?.["indoubt/outcome"] ?? {}) as JsonObject;

const PROXY = fileURLToPath(new URL("children/proxy.ts", import.meta.url));
export const proxyCommand = (settings: ProxySettings) => ({
  command: process.execPath,
  args: ["--import", "tsx", PROXY, JSON.stringify(settings)],
});

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "indoubt-proxy-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A server as the pairing wants it, a proxy before it, and a host that is connected and has read the tools. */
export async function proxied(given: Given): Promise<Scene> {
  const [hostSide, serverSide] = given.pairing.split(" to ");
  const server = await serverOf(given, serverSide === "http");
  const settings: ProxySettings = {
    store: join(folder(), "record.db"),
    target: given.target ?? server.target,
    http: hostSide === "http",
    ...(given.options && { options: given.options }),
    ...(given.tools && { tools: given.tools }),
    ...(given.lease !== undefined && { lease: given.lease }),
  };
  let running = settings.http ? await startHttpProxy(settings) : undefined;
  const connect = (more: Partial<Given> = {}): Promise<Host> => connectHost({ ...given, ...more }, settings, running);
  const first = await connect();
  return {
    ...first,
    server: server.control,
    settings,
    again: connect,
    async killProxy() {
      if (!running) {
        process.kill(first.pid, "SIGKILL");
        return;
      }
      const gone = once(running.child, "exit");
      running.child.kill("SIGKILL");
      await gone;
      running = await startHttpProxy(settings);
    },
    effects: (tool) => server.control.log.effects(tool).length,
    recorded: (state) => untilRecorded(settings.store, state),
    landed: (count) => server.control.log.waitFor(({ effects }) => effects().length === count, 10_000),
  };
}

async function untilRecorded(file: string, state: string): Promise<void> {
  const guard = createGuard({ store: sqliteStore({ file }), secret: SECRET, sweepEvery: 3_600_000 });
  const end = Date.now() + 15_000;
  const states = async (): Promise<readonly string[]> =>
    (await guard.queue.list({ index: "open" })).items.map((item) => item.state);
  while (!(await states()).includes(state)) {
    if (Date.now() > end) throw new Error(`The record says ${await states()}, not ${state}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await guard.close({ within: 0 });
}

async function serverOf(given: Given, http: boolean): Promise<{ control: Scene["server"]; target: ProxyTarget }> {
  const { script = {}, answers = "json" } = given;
  if (http) {
    const control = await startFaultServer({ script, answers });
    onTestFinished(() => control.close());
    return { control, target: { url: control.url } };
  }
  const control = faultServerCommand({ script });
  onTestFinished(() => control.remove());
  return { control, target: { command: control.command, args: control.args } };
}

export interface RunningProxy {
  readonly child: ChildProcess;
  readonly url: string;
  said(): string;
}

export async function startHttpProxy(settings: ProxySettings): Promise<RunningProxy> {
  const { command, args } = proxyCommand(settings);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  const [url] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "exit").then(() => Promise.reject(new Error(`The proxy ended: ${said}`))),
  ])) as [string];
  return { child, url, said: () => said };
}

async function connectHost(given: Given, settings: ProxySettings, running: RunningProxy | undefined): Promise<Host> {
  const { client: name = "v1", timeout = 20_000 } = given;
  const self = { name: "host", version: "1.0.0" };
  const capabilities = { capabilities: { elicitation: { form: {} } } };
  const yes = async () => ({ action: "accept" as const, content: { ok: true } });
  let said = "";
  let client: ClientV1 | ClientV2;
  let transport: StdioV1 | StdioV2 | HttpV1 | HttpV2;
  const stdio = { ...proxyCommand(settings), stderr: "pipe" as const };
  const http = { requestInit: { headers: given.headers ?? {} } };
  if (name === "v1") {
    const v1 = new ClientV1(self, capabilities);
    v1.setRequestHandler(ElicitRequestSchema, yes);
    client = v1;
    transport = running ? new HttpV1(new URL(running.url), http) : new StdioV1(stdio);
  } else {
    const modern = name === "v2 2026" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
    const v2 = new ClientV2(self, { ...capabilities, ...modern });
    v2.setRequestHandler("elicitation/create", yes);
    client = v2;
    transport = running ? new HttpV2(new URL(running.url), http) : new StdioV2(stdio);
  }
  if ("stderr" in transport) {
    transport.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
    });
  }
  onTestFinished(() => client.close().catch(() => {}));
  await client.connect(transport as never);
  const tools = await client.listTools();
  const host: Host = {
    client,
    tools: async () => tools.tools,
    close: () => client.close(),
    said: () => said + (running?.said() ?? ""),
    pid: "pid" in transport ? (transport.pid ?? 0) : (running?.child.pid ?? 0),
    call: (tool, args, { meta, ...options } = {}) => {
      const params = { name: tool, arguments: args, ...(meta && { _meta: meta }) } as never;
      const request = { timeout, ...options } as never;
      const called =
        name === "v1"
          ? (client as ClientV1).callTool(params, undefined, request)
          : (client as ClientV2).callTool(params, request);
      return called as Promise<JsonObject>;
    },
  };
  return host;
}
