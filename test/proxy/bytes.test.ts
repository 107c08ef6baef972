/** What is no guarded tool call passes byte for byte: no number rounded, no key lost, no white space changed. */
import { expect, test } from "vitest";
import { rawHost } from "./raw-host.ts";

const ODD = String.raw`"big": 12345678901234567890,"e":1.0e+2 , "u":"\u00e9\ud83d\ude00 é \/","dup":1,"dup":2,"nul":null`;
const INITIALIZE = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}, ${ODD}}}`;
const INITIALIZED = `{ "method" : "notifications/initialized", "jsonrpc":"2.0" , ${ODD} }`;
const call = (id: string, args: string): string =>
  `{"jsonrpc":"2.0","id":${id},  "method":"tools/call","params":{"name":"write","arguments":${args}}}`;

test("requests, notifications, answers and frames that no SDK would take pass unchanged, both ways", async () => {
  const host = rawHost("asks");
  const words = [
    INITIALIZE,
    INITIALIZED,
    `{"jsonrpc":"2.0","id":"list 1","method":"tools/list","params":{${ODD}}}`,
    `{"jsonrpc":"2.0","id":1.5,"method":"custom/thing","params":[1, 2],"unknown":"top level",${ODD}}`,
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":12345678901234567890}}`,
    `[{"jsonrpc":"2.0","method":"notifications/a"}, {"jsonrpc":"2.0","method":"notifications/b"}]`,
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"write","arguments":{${ODD}}}, "extra":0}`,
    `{"jsonrpc":"2.0","id":"q 1","result":{${ODD}}}`,
    `this is no JSON at all`,
  ];
  for (const word of words.slice(0, 7)) host.say(word);
  const answers = await host.lines(5);
  for (const word of words.slice(7)) host.say(word);
  host.say(`{"jsonrpc":"2.0","id":99,"method":"custom/end"}`);
  await host.lines(1);

  // A tool call waits for its record; everything else keeps its order.
  const served = host.served();
  expect([...served].sort()).toEqual([...words, `{"jsonrpc":"2.0","id":99,"method":"custom/end"}`].sort());
  expect(served.filter((line) => !line.includes("tools/call")).slice(0, 6)).toEqual(words.slice(0, 6));
  const odd = String.raw`"odd": 12345678901234567890, "e":1.0e+2,"u":"\u00e9\ud83d\ude00/\/","dup":1,"dup":2 , "deep":{"z":[ ]}`;
  expect(answers).toContain(
    `{ "result" : {"tools":[{"name":"write","inputSchema":{"type":"object"}}], ${odd}} , "id":"list 1","jsonrpc":"2.0"}`,
  );
  expect(answers).toContain(`{"jsonrpc":"2.0","id":1.5,"extra":"key","result":{${odd}}}`);
  expect(answers).toContain(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}], ${odd}}}`);
  expect(answers).toContain(`{"jsonrpc":"2.0","id":"q 1","method":"sampling/createMessage","params":{${odd}}}`);
});

test("two calls that differ only in digits that JavaScript cannot hold are two wishes", async () => {
  const host = rawHost();
  host.say(INITIALIZE);
  host.say(INITIALIZED);
  host.say(call("1", '{"account":12345678901234567890}'));
  host.say(call("2", '{"account":12345678901234567891}'));
  const answers = await host.lines(3);

  expect(host.served().filter((line) => line.includes("tools/call"))).toHaveLength(2);
  expect(answers.join()).not.toMatch(/joined|recalled|held/);
});

test.each([
  ["a batch with a tool call", `[${call("1", "{}")},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`, 1],
  ["a tool call without an id", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"write"}}`, 0],
  ["a tool call with a null id", `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"write"}}`, 0],
  ["a tool call without a name", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}`, 1],
  ["a tool call of another protocol", `{"jsonrpc":"1.0","id":5,"method":"tools/call","params":{"name":"write"}}`, 1],
])("%s is refused, and not sent", async (_what, words, replies) => {
  const host = rawHost();
  host.say(INITIALIZE);
  await host.lines(1);
  host.say(words);
  const refusals = await host.lines(replies);
  host.say(`{"jsonrpc":"2.0","id":99,"method":"custom/end"}`);
  await host.lines(1);

  for (const line of refusals) expect(line).toMatch(/-32600.*not sent/);
  expect(host.said()).toMatch(/not sent/);
  expect(host.served().join("\n")).not.toContain("tools/call");
});

test("a request id that is in use is refused, and the first call keeps its answer", async () => {
  const host = rawHost();
  host.say(INITIALIZE);
  await host.lines(1);
  host.say(call("4", '{"n":1}'));
  host.say(call("4", '{"n":2}'));
  const answers = await host.lines(2);

  expect(answers.filter((line) => line.includes("done"))).toHaveLength(1);
  expect(answers.filter((line) => line.includes("-32600"))).toHaveLength(1);
  expect(host.served().filter((line) => line.includes("tools/call"))).toHaveLength(1);
});
