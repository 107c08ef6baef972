/** Processes of these tests: the destination, and clients that are killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Child {
  readonly process: ChildProcess;
  /** Whole lines of its stdout so far. */
  lines(): readonly string[];
  /** Resolves when a line is there; rejects when the process ends first. */
  said(line: (text: string) => boolean): Promise<string>;
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** Runs a file as a process of its own. */
export function startChild(script: URL, ...args: string[]): Child {
  const child = spawn(process.execPath, ["--import", "tsx", fileURLToPath(script), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const news = new EventEmitter().setMaxListeners(0);
  let text = "";
  let isOver = false;
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
    news.emit("news");
  });
  const closed = once(child, "close").then(() => {
    isOver = true;
    news.emit("news");
  });
  // The last line may be cut off.
  const lines = () => text.split("\n").slice(0, -1);
  return {
    process: child,
    lines,
    async said(matches) {
      for (;;) {
        const found = lines().find(matches);
        if (found !== undefined) return found;
        if (isOver) throw new Error(`${fileURLToPath(script)} ended early:\n${text}`);
        await once(news, "news");
      }
    },
    async end(signal = "SIGTERM") {
      child.kill(signal);
      await closed;
    },
  };
}

export interface Destination {
  readonly url: string;
  /** Effects of each order, from the synced log: the judge. */
  effects(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export async function startDestination(): Promise<Destination> {
  const folder = newFolder();
  const log = join(folder, "effects.log");
  const child = startChild(new URL("children/destination.ts", import.meta.url), log);
  const port = await child.said((line) => /^\d+$/.test(line));
  return {
    url: `http://127.0.0.1:${port}`,
    effects() {
      const counts = new Map<string, number>();
      for (const order of readFileSync(log, "utf8").split("\n").slice(0, -1)) {
        counts.set(order, (counts.get(order) ?? 0) + 1);
      }
      return counts;
    },
    async close() {
      await child.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), "indoubt-faults-"));
