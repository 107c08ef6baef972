/** Files and processes of one test, gone after it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A path for a store, in a folder of its own. */
export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-cases-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return join(folder, "indoubt.db");
}
