/** Proxies in this process, servers of a few lines: for tests that need an exact byte at an exact moment. */
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import {
  type HttpProxy,
  type HttpProxyOptions,
  type ProxyTarget,
  type StdioProxyOptions,
  startProxy,
  stdioProxy,
} from "../../../adapters/surfaces/proxy/index.ts";
import { createGuard, type Guard, type GuardOptions } from "../../../src/index.ts";
import { SECRET } from "../settings.ts";
import { folder } from "../support.ts";

export const INITIALIZE = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`;
export const INITIALIZED = `{"jsonrpc":"2.0","method":"notifications/initialized"}`;
export const callOf = (id: string | number, args = "{}"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"write","arguments":${args}}}`;
export const resultOf = (id: string | number, text = "done"): string =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${text}"}]}}`;

export function newGuard(options: Partial<GuardOptions> = {}): Guard {
  const store = sqliteStore({ file: join(folder(), "record.db") });
  const guard = createGuard({ store, secret: SECRET, sweepEvery: 3_600_000, ...options });
  onTestFinished(() => guard.close({ within: 0 }));
  return guard;
}

/** States of the records that are open. */
export const openStates = async (guard: Guard): Promise<readonly string[]> =>
  (await guard.queue.list({ index: "open" })).items.map(({ state }) => state);

export interface LineHost {
  readonly guard: Guard;
  say(text: string | Uint8Array): void;
  /** All lines of the proxy, as soon as there is one that fits. */
  until(fits: RegExp): Promise<readonly string[]>;
  lines(): readonly string[];
  said(): string;
  /** Closes the proxy's stdin, and waits until it has ended. */
  leave(): Promise<void>;
  readonly stdout: PassThrough;
}

/** A host in lines. `reads: false`: it does not, until somebody resumes `stdout`. */
export function lineHost(target: ProxyTarget, more: Partial<StdioProxyOptions> & { reads?: boolean } = {}): LineHost {
  const { reads = true, guard = newGuard(), ...options } = more;
  const stdin = new PassThrough();
  const stdout = new PassThrough({ highWaterMark: 1024 });
  let said = "";
  const parts: Buffer[] = [];
  const say = (line: string): void => {
    said += `${line}\n`;
  };
  const lines = (): readonly string[] => Buffer.concat(parts).toString("utf8").split("\n").slice(0, -1);
  if (reads) stdout.on("data", (part: Buffer) => void parts.push(part));
  else stdout.once("resume", () => stdout.on("data", (part: Buffer) => void parts.push(part)));
  const proxy = stdioProxy({ server: "billing", target, stdin, stdout, say, ...options, guard });
  onTestFinished(() => proxy.close());
  return {
    guard,
    stdout,
    lines,
    say: (text) => void stdin.write(typeof text === "string" ? `${text}\n` : text),
    said: () => said,
    async until(fits) {
      await eventually(
        () => lines().some((line) => fits.test(line)),
        () => `${fits} in ${lines()}; ${said}`,
      );
      return lines();
    },
    async leave() {
      stdin.end();
      await proxy.ended;
    },
  };
}

export async function eventually(holds: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  const end = Date.now() + 15_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`It did not come to this: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * A stdio server in plain JavaScript. It notes what it gets in a file; `script` has `file`, `line`, `id`, `method`, `raw`.
 * @param start runs once
 */
export function lineServer(script: string, start = ""): { readonly target: ProxyTarget; served(): string } {
  const file = join(folder(), "served.txt");
  const code = `
    const fs = require("node:fs"), file = process.argv[1];
    const raw = (text) => process.stdout.write(text + "\\n");
    ${start}
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      fs.appendFileSync(file, line + "\\n");
      const method = /"method"\\s*:\\s*"([^"]*)"/.exec(line)?.[1] ?? "";
      const id = /"id"\\s*:\\s*("[^"]*"|[\\d.]+)/.exec(line)?.[1] ?? "null";
      if (method === "initialize") raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"lines","version":"1"}}}');
      ${script}
    });`;
  return {
    target: { command: process.execPath, args: ["-e", code, file] },
    served: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
  };
}

/** Answers each call and each `custom/…` request. */
export const FINE = `
  if (method === "tools/call") raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[{"type":"text","text":"done"}]}}');
  if (method.startsWith("custom/")) raw('{"jsonrpc":"2.0","id":' + id + ',"result":{}}');`;

export interface WebServer {
  readonly url: string;
  readonly bodies: readonly string[];
  readonly requests: readonly IncomingMessage[];
}

export async function webServer(
  answer: (body: string, request: IncomingMessage, response: ServerResponse) => void,
  path = "/mcp",
): Promise<WebServer> {
  const bodies: string[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString("utf8");
    bodies.push(body);
    requests.push(incoming);
    answer(body, incoming, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, bodies, requests };
}

export const json = (response: ServerResponse, body: string, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(body);
};
export const events = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { "content-type": "text/event-stream" });

export interface OpenedProxy extends HttpProxy {
  readonly guard: Guard;
  said(): string;
}

export async function httpProxy(target: ProxyTarget, more: Partial<HttpProxyOptions> = {}): Promise<OpenedProxy> {
  const { guard = newGuard(), ...options } = more;
  let said = "";
  const say = (line: string): void => {
    said += `${line}\n`;
  };
  const proxy = await startProxy({ server: "billing", target, port: 0, say, ...options, guard });
  onTestFinished(() => proxy.close());
  return { ...proxy, guard, said: () => said };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** One request as it is: nothing is followed, decoded or repeated. */
export async function ask(
  url: string,
  body: string | Uint8Array,
  { method = "POST", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const asking = request(url, {
    method,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "content-length": Buffer.byteLength(body),
      ...headers,
    },
  });
  asking.end(body);
  const [response] = (await once(asking, "response")) as [IncomingMessage];
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}
