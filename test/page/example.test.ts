/** The example of docs/page.md runs as a reader runs it. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test("examples/page.ts prints a link that signs in, and ends in order", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "indoubt-page-example-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const example = resolve(import.meta.dirname, "../../examples/page.ts");
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), example], {
    cwd,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | null>((done) => child.once("close", done));
  const link = await new Promise<string>((done, failed) => {
    child.stdout.setEncoding("utf8").once("data", (text: string) => done(text.trim()));
    child.once("close", () => failed(new Error("The example printed nothing.")));
  });
  const entered = await fetch(link, { redirect: "manual" });
  expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"]);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
}, 30_000);
