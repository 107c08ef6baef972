/** Nothing that a server may take for a tool call reaches it without a record, however it is written. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  ask,
  callOf,
  FINE,
  httpProxy,
  INITIALIZE,
  json,
  lineHost,
  lineServer,
  resultOf,
  webServer,
} from "./support.ts";

const UNREADABLE = [
  ["NaN, as Python writes it", callOf(1, '{"amount":NaN}')],
  ["a byte order mark", `\uFEFF${callOf(1)}`],
  ["a comma too many", callOf(1, '{"amount":1,}')],
  ["an escaped slash", callOf(1, '{"amount":NaN}').replace("tools/call", "tools\\/call")],
  ["an escaped letter", callOf(1, '{"amount":NaN}').replace("tools/call", "\\u0074ools/call")],
] as const;

test.each(UNREADABLE)("a tool call that other parsers may read is refused and not sent: %s", async (_what, line) => {
  const server = lineServer(FINE);
  const host = lineHost(server.target);
  host.say(INITIALIZE);
  await host.until(/"id":0,/);
  host.say(line);
  host.say('{"jsonrpc":"2.0","id":99,"method":"custom/end"}');
  await host.until(/"id":99/);

  expect(host.lines().join()).toMatch(/"id":null,"error":\{"code":-32700/);
  expect(host.said()).toMatch(/not sent/);
  expect(server.served()).not.toMatch(/ools/);
});

test.each([
  ["an integer of 400 digits is on record before it is sent", `{"n":${"9".repeat(400)}}`, "succeeded"],
  [
    "9 MB of text beside a large integer is too large for a record, so it is not sent",
    `{"n":12345678901234567890,"text":"${"x".repeat(9_000_000)}"}`,
    "refused",
  ],
])("a tool call with %s", async (_what, args, kind) => {
  const server = lineServer(FINE);
  const host = lineHost(server.target);
  const outcomes: string[] = [];
  host.guard.on("outcome", ({ kind }) => void outcomes.push(kind));
  host.say(INITIALIZE);
  await host.until(/"id":0,/);
  host.say(callOf(1, args));
  await host.until(/"id":1,/);

  expect(outcomes).toEqual([kind]);
  expect(server.served().includes(callOf(1, args))).toBe(kind === "succeeded");
});

const call = callOf(1);
test.each([
  ["packed", gzipSync(call), { headers: { "content-encoding": "gzip" } }, 415],
  ["in UTF-16", Buffer.from(call, "utf16le"), {}, 400],
  ["in UTF-16 that begins with a mark", Buffer.from(`\uFEFF${call}`, "utf16le"), {}, 400],
  ["with bytes that are no UTF-8 and an escaped name", badUtf8(), {}, 400],
  ["by PUT", Buffer.from(call), { method: "PUT" }, 405],
  ["by DELETE", Buffer.from(call), { method: "DELETE" }, 405],
  ["as NaN", Buffer.from(callOf(1, '{"a":NaN}').replace("tools/call", "tools\\u002Fcall")), {}, 400],
] as const)("a tool call over HTTP %s is refused and not sent", async (_what, body, options, status) => {
  const server = await webServer((_body, _request, response) => json(response, resultOf(1)));
  const proxy = await httpProxy({ url: server.url });
  const answer = await ask(proxy.url, body, options);

  expect(answer.status).toBe(status);
  expect(server.bodies).toEqual([]);
});

function badUtf8(): Buffer {
  const text = callOf(1, '{"name":"?"}').replace("tools/call", "tools\\/call");
  const bytes = Buffer.from(text);
  bytes[text.indexOf("?")] = 0xff;
  return bytes;
}

test("forms, nonsense and other methods pass", async () => {
  const server = await webServer((_body, _request, response) => json(response, "{}", 418));
  const proxy = await httpProxy({ url: server.url });
  const form = { headers: { "content-type": "application/x-www-form-urlencoded" } };
  await ask(proxy.url, "grant_type=refresh_token", form);
  await ask(proxy.url, "{ no json");
  await ask(proxy.url, "", { method: "DELETE" });

  expect(server.bodies).toEqual(["grant_type=refresh_token", "{ no json", ""]);
});
