/** What belongs to one host, session or principal reaches no other. */
import { expect, test } from "vitest";
import {
  ask,
  callOf,
  events,
  eventually,
  FINE,
  httpProxy,
  INITIALIZE,
  json,
  lineHost,
  lineServer,
  openStates,
  resultOf,
  webServer,
} from "./support.ts";

test("a stream that broke off is resumed by its own session alone, though both count their events alike", async () => {
  const server = await webServer((_body, request, response) => {
    const session = request.headers["mcp-session-id"];
    events(response);
    if (request.method === "POST" && session === "b")
      return void response.end(`id: 7\ndata: ${resultOf(1, "of b")}\n\n`);
    if (request.method === "POST") return void response.end("id: 7\ndata:\n\n");
    response.end(`data: ${resultOf(1, `resumed by ${session}`)}\n\n`);
  });
  const proxy = await httpProxy({ url: server.url });
  const first = await ask(proxy.url, callOf(1, '{"of":"a"}'), { headers: { "mcp-session-id": "a" } });
  const resume = (session: string) =>
    ask(proxy.url, "", { method: "GET", headers: { "mcp-session-id": session, "last-event-id": "7" } });
  const foreign = await resume("b");
  const meanwhile = await openStates(proxy.guard);
  const own = await resume("a");

  expect(meanwhile).toEqual(["in_flight"]);
  expect(first.text).not.toContain("result");
  expect(foreign.text).toContain("resumed by b");
  expect(own.text).toContain("resumed by a");
});

test("where there are no sessions, a host that takes back its request takes back nobody else's", async () => {
  let release: (() => void)[] = [];
  const server = await webServer((body, _request, response) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    if (method !== "tools/call") return void response.writeHead(202).end();
    release.push(() => json(response, resultOf(id)));
  });
  const proxy = await httpProxy({ url: server.url });
  const answer = ask(proxy.url, callOf(3, '{"of":"the other"}'));
  await eventually(
    () => release.length === 1,
    () => "the call is sent",
  );
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}';
  await ask(proxy.url, cancelled);
  await ask(proxy.url, cancelled, { headers: { authorization: "Bearer stranger" } });
  for (const send of release) send();
  release = [];

  expect((await answer).text).toContain("done");
});

test("the status tool tells a person of their own actions alone", async () => {
  const server = await webServer((_body, _request, response) => void response.destroy());
  const proxy = await httpProxy({ url: server.url }, { statusTool: true });
  const as = (who: string) => ({ headers: { authorization: `Bearer ${who}` } });
  const lost = await ask(proxy.url, callOf(1), as("alice"));
  const reference = /reference ([\w-]+)/.exec(lost.text)?.[1];
  const status = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"indoubt_status","arguments":{"reference":"${reference}"}}}`;

  expect(reference).toBeDefined();
  expect((await ask(proxy.url, status, as("alice"))).text).toMatch(/may or may not/);
  expect((await ask(proxy.url, status, as("mallory"))).text).toMatch(/No action with this reference/);
  expect((await ask(proxy.url, status)).text).toMatch(/No action with this reference/);
});

const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
test("what a shared server says of no request in particular is told to nobody where several people wait", async () => {
  const server = lineServer(`
    if (method === "tools/call" && line.includes("wait")) setTimeout(() => raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[]}}'), 1500);
    if (method === "tools/call" && line.includes("talk")) {
      setTimeout(() => raw('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"of alice"}}'), 700);
      setTimeout(() => raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[]}}'), 900);
    }`);
  const proxy = await httpProxy(server.target);
  const call = (id: number, name: string, who: string) =>
    ask(
      proxy.url,
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{},${META}}}`,
      {
        headers: {
          authorization: `Bearer ${who}`,
          "mcp-method": "tools/call",
          "mcp-name": name,
          "mcp-protocol-version": "2026-07-28",
        },
      },
    );
  const talks = call(1, "talk", "alice");
  await eventually(
    () => server.served().includes("talk"),
    () => server.served(),
  );
  const [bob, alice] = await Promise.all([call(1, "wait", "bob"), talks]);

  expect(bob.text).not.toContain("of alice");
  expect(alice.text).toContain('"result"');
});

test("an answer to a call that has not been sent is no answer", async () => {
  const server = lineServer(
    `if (method === "custom/ahead") { for (const n of [5]) raw('{"jsonrpc":"2.0","id":' + n + ',"result":{"content":[{"type":"text","text":"ahead"}]}}'); raw('{"jsonrpc":"2.0","id":' + id + ',"result":{}}'); }
    if (method === "tools/call") setTimeout(() => { raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[{"type":"text","text":"real"}]}}') }, 300);`,
  );
  const host = lineHost(server.target);
  host.say(INITIALIZE);
  await host.until(/"id":0,/);
  host.say(callOf(4));
  await eventually(
    () => server.served().includes("tools/call"),
    () => server.served(),
  );
  // An equal call joins: its id waits here, and the server has never heard of it.
  host.say(callOf(5));
  await new Promise((resolve) => setTimeout(resolve, 100));
  host.say('{"jsonrpc":"2.0","id":9,"method":"custom/ahead"}');
  await host.until(/"id":5,/);
  await host.until(/"id":4,/);

  expect(host.lines().join()).not.toContain("ahead");
});

test("questions of a server that started again are answered, though it counts them as before", async () => {
  const server = lineServer(
    `if (method === "custom/ask") { globalThis.asking = id; raw('{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{}}'); }
     if (method === "custom/die") process.exit(1);
     if (line.includes('"answer"')) raw('{"jsonrpc":"2.0","id":' + globalThis.asking + ',"result":{}}');
     if (method === "custom/ping") raw('{"jsonrpc":"2.0","id":' + id + ',"result":{}}');`,
  );
  const host = lineHost(server.target);
  host.say(INITIALIZE);
  await host.until(/"id":0,/);
  host.say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  for (const id of [1, 11]) {
    host.say(`{"jsonrpc":"2.0","id":${id},"method":"custom/ask"}`);
    const questions = id === 1 ? 1 : 2;
    await eventually(
      () => host.lines().filter((line) => line.includes("sampling")).length === questions,
      () => `${host.lines()}`,
    );
    host.say('{"jsonrpc":"2.0","id":0,"result":{"answer":1}}');
    await host.until(new RegExp(`"id":${id},`));
    host.say(`{"jsonrpc":"2.0","id":${id + 1},"method":"custom/die"}`);
    await host.until(new RegExp(`"id":${id + 1},.*-32000`));
  }
  // A question that nobody can answer any more is taken back.
  host.say('{"jsonrpc":"2.0","id":21,"method":"custom/ask"}');
  await eventually(
    () => host.lines().filter((line) => line.includes("sampling")).length === 3,
    () => `${host.lines()}`,
  );
  host.say('{"jsonrpc":"2.0","id":22,"method":"custom/die"}');
  await host.until(/notifications\/cancelled.*"requestId":0/);
});

test("ids that only look like numbers are names of their own", async () => {
  const server = lineServer(FINE.replace("raw(", "setTimeout(raw, 300, "));
  const host = lineHost(server.target);
  host.say(INITIALIZE);
  await host.until(/"id":0,/);
  const ids = ['""', '"0x10"', "16", '"1795123456789012345"', '"1795123456789012346"', '"1e999"', '"2e999"', '" "'];
  ids.forEach((id, n) => void host.say(callOf(id, `{"n":${n}}`)));
  for (const id of ids) await host.until(new RegExp(`"id":${id},.*done`));

  expect(host.lines()).toHaveLength(1 + ids.length);
});
