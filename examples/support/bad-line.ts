/**
 * A line between an agent and a stdio MCP server on which one answer gets lost: the work is done, and then the agent or
 * the server is killed. Arguments: agent|server, TOOL, MARKER (made when it happened), ARRIVALS (a line for each call of
 * the tool that went on to the server), COMMAND and its arguments.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

const [victim, tool, marker = "", arrivals = "", command = "", ...args] = process.argv.slice(2);
const agent = process.ppid;
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], detached: true });
let doomed: Message["id"];

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line) as Message;
    if (method === "tools/call" && params?.name === tool) {
      appendFileSync(arrivals, `${line}\n`);
      if (!existsSync(marker)) doomed = id;
    }
    server.stdin.write(`${line}\n`);
  })
  .on("close", () => server.stdin.end());

createInterface({ input: server.stdout }).on("line", (line) => {
  const { id, method } = JSON.parse(line) as Message;
  if (doomed === undefined || id !== doomed || method !== undefined) {
    process.stdout.write(`${line}\n`);
    return;
  }
  writeFileSync(marker, "");
  // `npx` has the server as a child of its own: its whole group dies.
  process.kill(victim === "agent" ? agent : -(server.pid ?? 0), "SIGKILL");
});

server.once("exit", (code) => process.exit(code ?? 1));
