/**
 * `echo-server.ts FILE MODE`: a stdio server in raw lines. It notes each line that it gets, byte for byte, and answers by
 * hand-made texts, so that nothing between is parsed and written anew. MODE: what is wrong with it.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file = "", mode = "fine"] = process.argv.slice(2);
if (mode === "dies") process.exit(3);
if (mode === "floods") setInterval(() => process.stderr.write(`${"noise ".repeat(20_000)}\n`), 1).unref();
if (mode === "no-mcp") process.stdout.write("Welcome to the server of another kind!\n");

const ODD = String.raw`"odd": 12345678901234567890, "e":1.0e+2,"u":"\u00e9\ud83d\ude00/\/","dup":1,"dup":2 , "deep":{"z":[ ]}`;
const raw = (text: string) => process.stdout.write(`${text}\n`);
const answerTo: Record<string, (id: string, line: string) => void> = {
  initialize: (id) =>
    raw(
      `{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"${mode === "unknown-revision" ? "1999-01-01" : "2025-11-25"}","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}, ${ODD}}}`,
    ),
  "tools/list": (id) =>
    raw(
      `{ "result" : {"tools":[{"name":"write","inputSchema":{"type":"object"}}], ${ODD}} , "id":${id},"jsonrpc":"2.0"}`,
    ),
  "tools/call": (id) => {
    if (mode === "twice") raw(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"first"}]}}`);
    const size = mode === "huge" ? "x".repeat(50 * 1024 * 1024) : "";
    raw(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"done${size}"}], ${ODD}}}`);
    if (mode === "speaks")
      raw(`{"jsonrpc":"2.0", "method":"notifications/message","params":{"level":"info","data":{${ODD}}}}`);
    if (mode === "asks") raw(`{"jsonrpc":"2.0","id":"q 1","method":"sampling/createMessage","params":{${ODD}}}`);
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  appendFileSync(file, `${line}\n`);
  if (mode === "no-mcp") {
    raw("What do you mean?");
    return;
  }
  const method = /"method"\s*:\s*"([^"]*)"/.exec(line)?.[1] ?? "";
  const id = /"id"\s*:\s*("[^"]*"|[\d.]+)/.exec(line)?.[1] ?? "null";
  answerTo[method]?.(id, line);
  if (method.startsWith("custom/")) raw(`{"jsonrpc":"2.0","id":${id},"extra":"key","result":{${ODD}}}`);
});
