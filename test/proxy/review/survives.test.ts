/** A server cannot end the proxy, nor keep a host waiting for good. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import {
  ask,
  callOf,
  eventually,
  FINE,
  httpProxy,
  INITIALIZE,
  INITIALIZED,
  json,
  lineHost,
  lineServer,
  openStates,
  webServer,
} from "./support.ts";

/** Answers each request with these bytes. */
async function byteServer(answer: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test.each([
  ["a status that is none", "HTTP/1.1 999 Request denied\r\nContent-Length: 0\r\n\r\n"],
  ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n"],
  ["no HTTP", "SSH-2.0-OpenSSH_9.9\r\n"],
  ["half an answer", 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"jsonrpc"'],
  [
    "a body that is said to be packed",
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nno packed",
  ],
])("a server that answers with %s leaves doubt, and the proxy goes on", async (_what, answer) => {
  const url = await byteServer(answer);
  const proxy = await httpProxy({ url });
  const first = await ask(proxy.url, callOf(1));
  await ask(proxy.url, INITIALIZE).catch(() => {});
  const again = await ask(proxy.url, callOf(2));

  expect(first.text).toMatch(/outcome_uncertain/);
  expect(again.text).toMatch(/not sent/);
  const host = lineHost({ url });
  host.say(INITIALIZE);
  await host.until(/"id":0,.*error/);
});

test("a session that cannot be opened anew does not end the proxy in the middle of a write", async () => {
  let calls = 0;
  const server = await webServer((body, request, response) => {
    const { id, method } = JSON.parse(body || "{}") as { id: number; method: string };
    if (request.method === "GET") return void response.writeHead(405).end();
    if (method === "initialize") {
      if (request.headers["mcp-session-id"] !== undefined || calls > 0) return void response.destroy();
      response.setHeader("mcp-session-id", "s1");
      return json(
        response,
        `{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`,
      );
    }
    if (method === "tools/call") {
      calls += 1;
      return json(response, "{}", 404);
    }
    response.writeHead(202).end();
  });
  const host = lineHost({ url: server.url });
  host.say(INITIALIZE);
  await host.until(/"id":0,/);
  host.say(INITIALIZED);
  host.say(callOf(1));
  await host.until(/"id":1,/);
  await new Promise((resolve) => setTimeout(resolve, 100));

  expect(host.lines().join()).toMatch(/outcome_uncertain/);
});

test("a command that the system refuses is an MCP error for the host", async () => {
  const target = { command: process.execPath, args: ["a\0b"] };
  const host = lineHost(target);
  host.say(INITIALIZE);
  await host.until(/"id":0,.*could not be started/);
  const proxy = await httpProxy(target);

  expect((await ask(proxy.url, INITIALIZE)).text).toMatch(/could not be started/);
});

test("a tool call to a server that cannot be started is answered soon, and was not sent", async () => {
  const host = lineHost({ command: "no-such-command-anywhere" });
  host.say(INITIALIZE);
  await host.until(/"id":0,.*error/);
  host.say(callOf(1));
  await host.until(/"id":1,/);

  expect(host.lines().join()).toMatch(/"isError":true/);
  expect(await openStates(host.guard)).not.toContain("uncertain");
});

test("an answer nested beyond all measure is recorded or in doubt, and the proxy goes on", async () => {
  const server = lineServer(
    `if (method === "tools/call" && line.includes("deep")) raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[],"x":' + "[".repeat(100000) + "]".repeat(100000) + "}}");
     else ${FINE.trim()}`,
  );
  const host = lineHost(server.target);
  host.say(INITIALIZE);
  await host.until(/"id":0,/);
  host.say(callOf(1, '{"deep":1}'));
  await host.until(/"id":1,/);
  host.say(callOf(2));
  await host.until(/"id":2,.*done/);
  host.say(callOf(3, `{"n":${"[".repeat(100_000)}${"]".repeat(100_000)}}`));
  await host.until(/"id":3,/);
  host.say(callOf(4, '{"n":1e999}'));
  await host.until(/"id":4,/);
  host.say(callOf(5, '{"__proto__":{"a":1},"constructor":null}'));
  await host.until(/"id":5,.*done/);
  expect(server.served()).toContain('"__proto__"');
});

test("what a server wrote before it ended reaches a host that reads slowly", async () => {
  const line = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${"x".repeat(8_000)}"}}`;
  const server = lineServer(
    `if (method === "tools/call") {
       for (let n = 0; n < 14; n++) raw(${JSON.stringify(line)});
       raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[{"type":"text","text":"done"}]}}');
       process.stdout.write("", () => process.exit(0));
     }`,
  );
  const host = lineHost(server.target, { reads: false });
  host.say(INITIALIZE);
  host.say(callOf(1));
  await eventually(
    () => server.served().includes("tools/call"),
    () => server.served(),
  );
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  host.stdout.resume();
  await host.until(/"id":1,.*done/);

  expect(host.lines().filter((each) => each.includes("notifications/message"))).toHaveLength(14);
});

test("an idle connection of a host is not closed before hosts close theirs", async () => {
  const server = await webServer((_body, _request, response) => json(response, "{}"));
  const proxy = await httpProxy({ url: server.url });
  const { headers } = await ask(proxy.url, INITIALIZE, { headers: { connection: "keep-alive" } });

  expect(headers["keep-alive"]).toBe("timeout=75");
});
