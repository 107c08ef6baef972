/** A host in raw lines, before a real proxy process and a stdio server in raw lines. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { ProxySettings } from "./settings.ts";
import { folder, proxyCommand } from "./support.ts";

export type Mode = "fine" | "dies" | "no-mcp" | "floods" | "huge" | "twice" | "unknown-revision" | "speaks" | "asks";

export interface RawHost {
  say(text: string): void;
  /** The next lines of the proxy, in order. */
  lines(count: number): Promise<readonly string[]>;
  /** What the server got, byte for byte. */
  served(): readonly string[];
  said(): string;
  /** Closes the proxy's stdin, and waits until it has ended. */
  leave(): Promise<number | null>;
}

export const ECHO = fileURLToPath(new URL("children/echo-server.ts", import.meta.url));

export function echoCommand(mode: Mode = "fine"): { readonly target: ProxySettings["target"]; readonly file: string } {
  const file = join(folder(), "served.txt");
  return { file, target: { command: process.execPath, args: ["--import", "tsx", ECHO, file, mode] } };
}

export function rawHost(mode: Mode = "fine", settings: Partial<ProxySettings> = {}): RawHost {
  const { file, target } = echoCommand(mode);
  const { command, args } = proxyCommand({ store: join(folder(), "record.db"), target, http: false, ...settings });
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said = (said + text).slice(-20_000);
  });
  const got: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    got.push(line);
    for (const check of waiting) check();
  });
  return {
    say: (text) => void child.stdin.write(`${text}\n`),
    said: () => said,
    served: () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []),
    lines: (count) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`Of ${count} lines these came: ${got}; stderr: ${said}`)),
          20_000,
        );
        const check = (): void => {
          if (got.length < count) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(got.splice(0, count));
        };
        waiting.add(check);
        check();
      }),
    async leave() {
      child.stdin.end();
      const [code] = (await once(child, "exit")) as [number | null];
      return code;
    },
  };
}
