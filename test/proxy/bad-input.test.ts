/** Servers and hosts that misbehave: clear words for the operator, a valid MCP error for the host, nothing sent twice. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rawHost } from "./raw-host.ts";
import { folder, INVOICE, markOf, proxied, proxyCommand, startHttpProxy } from "./support.ts";
import { CHALLENGE, statusOf, tokenServer } from "./token-server.ts";

const INITIALIZE = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`;
const call = (id: number, args = "{}"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"write","arguments":${args}}}`;

test("a server that dies at once is an MCP error for the host, and its end is told to the operator", async () => {
  const host = rawHost("dies");
  host.say(INITIALIZE);
  const [answer = ""] = await host.lines(1);

  expect(JSON.parse(answer)).toMatchObject({
    id: 0,
    error: { code: -32000, message: 'The MCP server "billing" ended with code 3 before it answered this request.' },
  });
  expect(host.said()).toMatch(/the server "billing" ended with code 3/);
  expect(await host.leave()).toBe(0);
});

test("a command that does not exist is an MCP error for the host", async () => {
  const host = rawHost("fine", { target: { command: "no-such-command-anywhere" } });
  host.say(INITIALIZE);
  const [answer = ""] = await host.lines(1);

  expect(JSON.parse(answer)).toMatchObject({ id: 0, error: { code: -32000 } });
  expect(host.said()).toMatch(/could not be started: spawn no-such-command-anywhere ENOENT/);
});

test("a tool call that was handed to a server that dies at once is in doubt: who knows what it read", async () => {
  const host = rawHost("dies");
  host.say(INITIALIZE);
  await host.lines(1);
  host.say(call(1));
  const [answer = ""] = await host.lines(1);

  expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { isError: true } });
  expect(answer).toMatch(/outcome_uncertain/);
});

test("a server that speaks no MCP passes as it is, and the operator is told", async () => {
  const host = rawHost("no-mcp");
  host.say(INITIALIZE);
  const lines = await host.lines(2);

  expect(lines).toEqual(["Welcome to the server of another kind!", "What do you mean?"]);
  expect(host.said()).toMatch(/writes to stdout what is no MCP message: "Welcome to the server/);
});

test("a server that floods stderr does not hold up a call", async () => {
  const host = rawHost("floods");
  host.say(INITIALIZE);
  host.say(call(1));
  const lines = await host.lines(2);

  expect(lines[1]).toContain("done");
});

test("an answer of 50 MB passes whole", async () => {
  const host = rawHost("huge");
  host.say(INITIALIZE);
  host.say(call(1));
  const lines = await host.lines(2);

  expect(lines[1]?.length).toBeGreaterThan(50 * 1024 * 1024);
});

test("a second answer to a guarded call is swallowed", async () => {
  const host = rawHost("twice");
  host.say(INITIALIZE);
  host.say(call(1));
  host.say(`{"jsonrpc":"2.0","id":9,"method":"custom/end"}`);
  const lines = await host.lines(3);

  expect(lines.filter((line) => /"id":1,/.test(line))).toHaveLength(1);
  expect(lines.join()).toContain("first");
});

test("a protocol revision that nobody knows is between host and server", async () => {
  const host = rawHost("unknown-revision");
  host.say(INITIALIZE);
  host.say(call(1));
  const lines = await host.lines(2);

  expect(lines[0]).toContain("1999-01-01");
  expect(lines[1]).toContain("done");
});

test("two proxies on one store do a write once while it is under way and in doubt", async () => {
  const given = await proxied({
    pairing: "stdio to stdio",
    script: { create_invoice: [{ reply: { late: 1_200 } }, { reply: "ok" }] },
  });
  const host = await given.again();
  const both = await Promise.all([given.call("create_invoice", INVOICE), host.call("create_invoice", INVOICE)]);

  expect(both.map((result) => result.structuredContent)).toEqual([{ id: "inv_1" }, { id: "inv_1" }]);
  expect(both.filter((result) => markOf(result).joined === true)).toHaveLength(1);
  expect(given.effects()).toBe(1);
});

test("a host that stops reading is no loss: the call is on record when the proxy ends", async () => {
  const given = await proxied({ pairing: "stdio to stdio", script: { create_invoice: [{ reply: { late: 500 } }] } });
  const { command, args } = proxyCommand(given.settings);
  const host = spawn(command, args, { stdio: ["pipe", "ignore", "ignore"] });
  host.stdin.write(`${INITIALIZE}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n`);
  const params = JSON.stringify({ name: "create_invoice", arguments: INVOICE });
  host.stdin.end(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}\n`);
  const [code] = (await once(host, "exit")) as [number];
  await given.call("create_invoice", { ...INVOICE, order: "o-2" });

  expect(code).toBe(0);
  expect(given.effects()).toBe(2);
});

test("a server that refuses the token is an error with its cure, and no call is sent", async () => {
  const server = await tokenServer();
  const { command, args } = proxyCommand({
    store: join(folder(), "record.db"),
    http: false,
    target: { url: server.url, headers: { authorization: "Bearer wrong" } },
  });
  const host = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  host.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  host.stdin.write(`${INITIALIZE}\n`);
  const [answer] = (await once(host.stdout.setEncoding("utf8"), "data")) as [string];
  host.stdin.end();
  await once(host, "exit");

  expect(JSON.parse(answer)).toMatchObject({ id: 0, error: { code: -32000 } });
  expect(answer).toMatch(/refused this request with status 401. Check the token/);
  expect(said).toMatch(/refused initialize with HTTP status 401/);
  expect(said).not.toContain("Bearer wrong");
  expect(server.bodies).toHaveLength(1);
});

test("credentials and challenges pass through, and equal calls of two people are two wishes", async () => {
  const server = await tokenServer();
  const proxy = await startHttpProxy({ store: join(folder(), "record.db"), http: true, target: { url: server.url } });
  const post = (token: string, body: string): Promise<Response> =>
    fetch(proxy.url, {
      method: "POST",
      headers: { authorization: token, "content-type": "application/json", accept: "application/json" },
      body,
    });
  const refused = await post("Bearer wrong", INITIALIZE);
  const refusedCall = await post("Bearer wrong", call(1));
  const calls = await Promise.all([post("Bearer right", call(2)), post("Bearer right too", call(2))]);
  const texts = await Promise.all(calls.map((response) => response.text()));

  expect([refused.status, refusedCall.status]).toEqual([401, 401]);
  expect(refused.headers.get("www-authenticate")).toBe(CHALLENGE);
  expect(refusedCall.headers.get("www-authenticate")).toBe(CHALLENGE);
  expect(texts.join()).not.toMatch(/joined|recalled/);
  expect(server.accepted).toEqual(["Bearer right", "Bearer right too"]);
});

test("a page of another site, a strange name and a missing token are turned away", async () => {
  const server = await tokenServer();
  const target = { url: server.url };
  const store = join(folder(), "record.db");
  const proxy = await startHttpProxy({ store, http: true, target, options: { token: "secret" } });
  const ask = (headers: Record<string, string>): Promise<number> => statusOf(proxy.url, headers);

  expect(await ask({ authorization: "Bearer secret", origin: "https://evil.example" })).toBe(403);
  expect(await ask({ authorization: "Bearer secret", host: "evil.example" })).toBe(403);
  expect(await ask({})).toBe(401);
  expect(await ask({ authorization: "Bearer other" })).toBe(401);
  expect(server.bodies).toHaveLength(0);
  // Its own token is not the server's business.
  expect(await ask({ authorization: "Bearer secret", origin: "http://localhost:6274" })).toBe(401);
  expect(server.seen.at(-1)).toBeUndefined();
});
