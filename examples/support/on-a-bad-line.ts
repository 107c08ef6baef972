/** Starts an agent of these examples in a folder of its own, with an `npx` before the real one that loses one answer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface BadLine {
  /** The agent's file. */
  readonly agent: URL;
  /** The tool whose first answer gets lost. */
  readonly tool: string;
  /** Who is killed in that moment. */
  readonly dies: "agent" | "server";
}

const TSX = ["--import", import.meta.resolve("tsx")];

export function onABadLine({ agent, tool, dies }: BadLine) {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-example-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const [bin, arrivals] = [join(folder, "bin"), join(folder, "arrivals.jsonl")];
  mkdirSync(bin);
  const line = fileURLToPath(new URL("./bad-line.ts", import.meta.url));
  const words = [process.execPath, ...TSX, line, dies, tool, join(folder, "happened"), arrivals, "npx"];
  const quoted = words.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(bin, "npx"), `#!/bin/sh\nPATH='${process.env.PATH}' exec ${quoted} "$@"\n`);
  chmodSync(join(bin, "npx"), 0o755);
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
  return {
    /** Runs the agent to its end. @returns what it printed, or the signal that ended it */
    async run(): Promise<string> {
      const child = spawn(process.execPath, [...TSX, fileURLToPath(agent)], {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      let complained = "";
      child.stderr.setEncoding("utf8").on("data", (text) => {
        complained += text;
      });
      child.stdout.setEncoding("utf8").on("data", (text) => {
        said += text;
      });
      const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
      if (code !== 0 && code !== null) throw new Error(`The agent ended with ${code}:\n${complained}`);
      return signal === null ? said.trim() : `killed by ${signal}`;
    },
    /** Calls of the tool that reached the server. */
    calls: () => (existsSync(arrivals) ? readFileSync(arrivals, "utf8").trim().split("\n").length : 0),
    read: (file: string) => readFileSync(join(folder, file), "utf8"),
  };
}
