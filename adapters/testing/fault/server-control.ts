import { type StoredObject, storedObjects } from "./destination.ts";
import type { EffectLog } from "./effect-log.ts";
import type { FaultServerOptions, RunDirectory } from "./run-directory.ts";
import type { Step } from "./script.ts";

/** Handles that both kinds of fault server share. */
export interface FaultServerControl {
  /** What arrived and what happened. */
  readonly log: EffectLog;
  /** The objects that a write tool has left. */
  objects(tool: string): readonly StoredObject[];
  /** Replaces the steps of a tool; its next call takes the first one, the last one repeats. */
  plan(tool: string, ...steps: Step[]): void;
  /** Changes settings while the server runs, for instance `tools` to make a definition drift. */
  configure(change: FaultServerOptions): void;
}

export function controlOf(directory: RunDirectory): FaultServerControl {
  const { log, plan, configure } = directory;
  return {
    log,
    objects: (tool) => storedObjects(log.effects(tool)),
    plan: (tool, ...steps) => plan(tool, steps),
    configure,
  };
}
