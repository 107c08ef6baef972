/** A file and command server, as coding agents use it. Its folder is argv's log's folder. */
import { exec } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { loggedServer } from "./logged-server.ts";

const folder = dirname(process.argv[2] ?? ".");
const server = loggedServer("files");
const text = z.string();
let runs = 0;

server.tool("read_file", { path: text }, ({ path }: { path: string }) => ({
  text: readFileSync(join(folder, path), "utf8"),
}));
server.tool("write_file", { path: text, content: text }, ({ path, content }: { path: string; content: string }) => {
  writeFileSync(join(folder, path), content);
  return { text: `Wrote ${path}.`, effect: path };
});
server.tool("run_command", { command: text }, async ({ command }: { command: string }) => {
  const { stdout } = await promisify(exec)(command, { cwd: folder });
  runs += 1;
  return { text: stdout.trim(), effect: `run ${runs}` };
});

await server.serve();
