/** Files of one test, gone after it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A path for a store, in a folder of its own. */
export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-cases-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return join(folder, "indoubt.db");
}
