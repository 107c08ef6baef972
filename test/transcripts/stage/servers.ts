/** The servers of the sessions: MCP servers of our own in child processes, or the scripted one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import {
  type EffectLog,
  type FaultServerOptions,
  faultServerCommand,
  openEffectLog,
} from "../../../adapters/testing/index.ts";

/** A command that a client spawns, and the log that says what arrived and what happened. */
export interface Served {
  readonly command: string;
  readonly args: string[];
  readonly env?: Record<string, string>;
  readonly log: EffectLog;
  readonly folder?: string;
}

/**
 * One of `children/`, as somebody else might have written it; it knows nothing of indoubt.
 * @param lost `tool:number`: the reply of that call never comes
 */
export function ownServer(name: string, ...lost: string[]): Served & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-server-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "log.jsonl");
  const path = fileURLToPath(new URL(`../children/${name}.ts`, import.meta.url));
  return {
    command: process.execPath,
    args: ["--import", import.meta.resolve("tsx"), path, file, ...lost],
    log: openEffectLog(file),
    folder,
  };
}

/** The fault kit's server, whose calls follow a script. */
export function scriptedServer(options: FaultServerOptions): Served {
  const server = faultServerCommand(options);
  onTestFinished(() => server.remove());
  return server;
}
