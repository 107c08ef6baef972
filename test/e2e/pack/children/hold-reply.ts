/**
 * Stands between a client and a stdio server and keeps the first reply of one tool to itself: the write is done, its
 * answer never arrives. Arguments: TOOL, MARKER (made when the reply is held), COMMAND, its arguments.
 */
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [tool, marker = "", command = "", ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
let held: unknown;

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line) as { id?: unknown; method?: string; params?: { name?: string } };
    if (method === "tools/call" && params?.name === tool && !existsSync(marker)) held = id;
    server.stdin.write(`${line}\n`);
  })
  .on("close", () => server.stdin.end());

createInterface({ input: server.stdout }).on("line", (line) => {
  const { id, method } = JSON.parse(line) as { id?: unknown; method?: string };
  if (held !== undefined && id === held && method === undefined) writeFileSync(marker, "");
  else process.stdout.write(`${line}\n`);
});

server.once("exit", (code) => process.exit(code ?? 1));
