/** Event streams as servers may write them. */
import { expect, test } from "vitest";
import {
  ask,
  callOf,
  events,
  eventually,
  httpProxy,
  INITIALIZE,
  INITIALIZED,
  json,
  lineHost,
  openStates,
  resultOf,
  webServer,
} from "./support.ts";

const initialized = (id: number) =>
  `{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`;

/** A server whose tool calls are answered by `answer`. */
const served = (answer: (id: number) => readonly (string | Buffer)[]) =>
  webServer(async (body, request, response) => {
    if (request.method === "GET") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(body || "{}") as { id: number; method: string };
    if (method === "initialize") return json(response, initialized(id));
    if (id === undefined) return void response.writeHead(202).end();
    events(response);
    for (const part of answer(id)) {
      response.write(part);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
  });

const SEPARATED = "one\u2028two\u2029three\u0085four";
test.each([
  ["with line separators of Unicode in it", (id: number) => [`data: ${resultOf(id, SEPARATED)}\n\n`]],
  ["with CR alone", (id: number) => [`event: message\rdata: ${resultOf(id)}\r\r`]],
  ["with CR LF", (id: number) => [`: hello\r\n\r\ndata: ${resultOf(id)}\r\n\r\n`]],
  ["with CR LF that came in pieces", (id: number) => [`data: ${resultOf(id)}\r`, "\n", "\r", "\n"]],
  ["with mixed ends of lines", (id: number) => [`data: ${resultOf(id)}\n\r\n`]],
  ["with mixed ends of lines, the other way", (id: number) => [`data: ${resultOf(id)}\r\n\n`]],
  ["in several lines of data", (id: number) => [`data: ${resultOf(id).replace(',"result"', ',\ndata: "result"')}\n\n`]],
  ["that begins with a byte order mark", (id: number) => [`\uFEFFdata: ${resultOf(id)}\n\n`]],
  [
    "whose letters are split",
    (id: number) => {
      const bytes = Buffer.from(`data: ${resultOf(id, "é")}\n\n`);
      const cut = bytes.indexOf(0xc3) + 1;
      return [bytes.subarray(0, cut), bytes.subarray(cut)];
    },
  ],
] as const)(
  "an answer in an event %s is read and recorded, for hosts on pipes and over HTTP",
  async (_what, answer) => {
    const server = await served(answer);
    const host = lineHost({ url: server.url });
    host.say(INITIALIZE);
    host.say(INITIALIZED);
    await host.until(/"id":0,/);
    host.say(callOf(1));
    await host.until(/"id":1,/);
    const proxy = await httpProxy({ url: server.url });
    const overHttp = await ask(proxy.url, callOf(2));

    expect(
      host
        .lines()
        .filter((line) => line.includes('"id":1,'))
        .join(),
    ).not.toMatch(/isError/);
    expect(overHttp.text).not.toMatch(/isError/);
    await eventually(
      async () => (await openStates(proxy.guard)).every((state) => state === "succeeded"),
      () => "open",
    );
  },
);

test("an event of 24 MB in small pieces is read in a time that grows with its size", async () => {
  const big = `data: ${resultOf(1, "x".repeat(24 * 1024 * 1024))}\n\n`;
  const { readSse } = await import("../../../adapters/mcp/relay/index.ts");
  const bytes = Buffer.from(big);
  let pieces = 0;
  let seen = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(bytes.subarray(pieces * 16_384, (pieces + 1) * 16_384));
      pieces += 1;
      if (pieces * 16_384 >= bytes.length) controller.close();
    },
  });
  await readSse(body, {
    event: ({ data }) => {
      seen = data.length;
    },
    end: () => {},
  });

  expect(seen).toBe(big.length - "data: \n\n".length);
}, 20_000);
