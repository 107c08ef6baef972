/** Starts a host process that is going to be killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export interface Caller {
  /** Resolves when it said so. */
  says(word: string): Promise<void>;
  /** `kill -9`. */
  kill(): Promise<void>;
}

export function startCaller(file: string, url: string, mode: "call" | "claim"): Caller {
  const path = fileURLToPath(new URL("caller.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", path, file, url, mode], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(kill);
  return {
    kill,
    async says(word) {
      const end = Date.now() + 15_000;
      while (!text.includes(word)) {
        if (Date.now() > end || child.exitCode !== null) throw new Error(`The caller said "${text}", not "${word}".`);
        await sleep(10);
      }
    },
  };
}
