/** Hosts that read slowly: a server waits for them as it would without the proxy, and nothing piles up in between. */
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../support.ts";
import {
  ask,
  callOf,
  events,
  eventually,
  httpProxy,
  INITIALIZE,
  INITIALIZED,
  json,
  type LineHost,
  lineHost,
  lineServer,
  newGuard,
  openStates,
  resultOf,
  webServer,
} from "./support.ts";

/** More than pipes and sockets hold. */
const MESSAGES = 1000;
const MESSAGE = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${"x".repeat(60_000)}"}}`;
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const FLOOD = {
  "a tool call": callOf(5, '{"flood":true}'),
  "a tool list": '{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"flood":true}}',
  "another request": '{"jsonrpc":"2.0","id":5,"method":"custom/flood"}',
};
const INITIALIZED_AS =
  '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}';
const answerTo = (body: string): string =>
  body.includes("tools/call") ? resultOf(5) : '{"jsonrpc":"2.0","id":5,"result":{"tools":[]}}';

/** It floods whom it is asked to, at the pace of who reads. */
async function floodingServer(listens = false) {
  const written = { messages: 0 };
  const server = await webServer((body, { method }, response) => {
    if (method === "GET" && !listens) return void response.writeHead(405).end();
    if (method === "GET" || body.includes("flood")) return void flood(response, body);
    if (body === INITIALIZED) return void response.writeHead(202).end();
    json(response, body === INITIALIZE ? INITIALIZED_AS : resultOf(2));
  });
  async function flood(response: ServerResponse, body: string): Promise<void> {
    events(response);
    const closed = once(response, "close");
    for (; written.messages < MESSAGES && !response.destroyed; written.messages += 1)
      if (!response.write(`data: ${MESSAGE}\n\n`)) await Promise.race([once(response, "drain"), closed]);
    if (body !== "") response.end(`data: ${answerTo(body)}\n\n`);
  }
  return { ...server, written };
}

/** Resolves when no more is written. */
async function standing(written: () => number): Promise<number> {
  let before = -1;
  await eventually(
    async () => {
      const now = written();
      const stands = now > 0 && now === before;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return stands;
    },
    () => `${before} messages`,
  );
  return before;
}

/** The answer is there, and nobody reads it yet. */
async function unread(url: string, body: string): Promise<IncomingMessage> {
  const asking = request(url, { method: "POST", headers: { ...HEADERS, authorization: "Bearer slow" } });
  asking.on("error", () => {});
  asking.end(body);
  const [response] = (await once(asking, "response")) as [IncomingMessage];
  return response;
}

/** What comes when a host on pipes begins to read. */
async function readUntil(host: LineHost, text: string, count = 1): Promise<void> {
  const seen = { messages: 0, texts: 0 };
  host.stdout.on("data", (part: Buffer) => {
    // A line of the proxy is one write, so no text is cut in two.
    seen.messages += messagesIn(part.toString("utf8"));
    seen.texts += part.toString("utf8").split(text).length - 1;
  });
  await eventually(
    () => seen.texts === count && seen.messages === MESSAGES,
    () => JSON.stringify(seen),
  );
}

const messagesIn = (text: string): number => text.match(/notifications\/message/g)?.length ?? 0;

test.each(Object.entries(FLOOD))(
  "an HTTP server that floods the answer to %s waits for a host over HTTP that reads slowly; other hosts are served meanwhile",
  async (_what, message) => {
    const server = await floodingServer();
    const proxy = await httpProxy({ url: server.url });
    const response = await unread(proxy.url, message);
    const inBetween = await standing(() => server.written.messages);
    const other = await ask(proxy.url, callOf(2), { headers: { authorization: "Bearer other" } });
    let text = "";
    for await (const part of response.setEncoding("utf8")) text += part;

    expect(inBetween).toBeLessThan(MESSAGES);
    expect(other.text).toContain("done");
    expect(messagesIn(text)).toBe(MESSAGES);
    expect(text).toContain('"id":5,"result"');
    await eventually(
      async () => (await openStates(proxy.guard)).length === 0,
      () => "open",
    );
  },
);

test.each(Object.entries(FLOOD))(
  "an HTTP server that floods the answer to %s waits for a host on pipes that reads slowly",
  async (_what, message) => {
    const server = await floodingServer();
    const host = lineHost({ url: server.url }, { reads: false });
    host.say(INITIALIZE);
    host.say(INITIALIZED);
    host.say(message);
    const inBetween = await standing(() => server.written.messages);

    expect(inBetween).toBeLessThan(MESSAGES);
    await readUntil(host, '"id":5,"result"');
  },
);

test("an HTTP server that floods its own stream waits for a host on pipes that reads slowly", async () => {
  const server = await floodingServer(true);
  const host = lineHost({ url: server.url }, { reads: false });
  host.say(INITIALIZE);
  host.say(INITIALIZED);
  const inBetween = await standing(() => server.written.messages);

  expect(inBetween).toBeLessThan(MESSAGES);
  await readUntil(host, "notifications/message", MESSAGES);
});

test("after a slow host has left, the rest of the flood is read, and the answer behind it is recorded", async () => {
  const server = await floodingServer();
  const guard = newGuard();
  const proxy = await httpProxy({ url: server.url }, { guard });
  const response = await unread(proxy.url, FLOOD["a tool call"]);
  const inBetween = await standing(() => server.written.messages);
  response.destroy();
  await eventually(
    async () => (await openStates(guard)).join() === "succeeded",
    () => `${server.written.messages} messages`,
  );
  const again = await ask(proxy.url, FLOOD["a tool call"], { headers: { authorization: "Bearer slow" } });

  expect(inBetween).toBeLessThan(MESSAGES);
  expect(again.text).toContain("[recalled]");
  expect(server.bodies.filter((body) => body.includes("tools/call"))).toHaveLength(1);
});

test("a stdio server waits for a host over HTTP that reads slowly", async () => {
  const file = join(folder(), "written.txt");
  const server = lineServer(
    `if (method === "custom/flood") {
       const line = ${JSON.stringify(MESSAGE)} + "\\n";
       const write = (n) => {
         while (n < ${MESSAGES} && process.stdout.write(line)) n++;
         fs.writeFileSync(${JSON.stringify(file)}, String(n));
         if (n < ${MESSAGES}) process.stdout.once("drain", () => write(n + 1));
         else raw('{"jsonrpc":"2.0","id":' + id + ',"result":{}}');
       };
       write(0);
     }`,
  );
  const proxy = await httpProxy(server.target);
  const opened = await fetch(proxy.url, { method: "POST", headers: HEADERS, body: INITIALIZE });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await opened.text();
  const body = FLOOD["another request"];
  const response = await fetch(proxy.url, { method: "POST", headers: { ...HEADERS, ...session }, body });
  const inBetween = await standing(() => (existsSync(file) ? Number(readFileSync(file, "utf8")) : -1));
  const text = await response.text();

  expect(inBetween).toBeLessThan(MESSAGES);
  expect(messagesIn(text)).toBe(MESSAGES);
  expect(text).toContain('"id":5,"result"');
});
