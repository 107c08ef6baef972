/** A server of these examples in a process of its own, once it has printed its URL. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export async function startServer(file: URL, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), fileURLToPath(file)], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill());
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { url, close: () => child.kill() };
}
