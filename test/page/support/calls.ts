/** Guarded calls that end as a test needs them, over wires that say what the destination's side would say. */

import type { Wire, WireEvidence } from "../../../src/entries/wire.ts";
import { type Guard, type JsonObject, type Outcome, withCallContext } from "../../../src/index.ts";

const wireOf = (evidence: WireEvidence | Promise<WireEvidence>): Wire => ({
  headers: false,
  async send(attempt) {
    return attempt.mayStart() ? evidence : { kind: "not_sent", cause: "permit_lost" };
  },
});

export const silence: WireEvidence = { kind: "silence", cause: "connection_reset" };

export interface CallOptions {
  /** @default silence */
  readonly evidence?: WireEvidence | Promise<WireEvidence>;
  readonly principal?: string;
  /** In ms. */
  readonly deadline?: number;
}

/** @returns the operation's id */
export async function callTool(
  guard: Guard,
  [server, tool]: readonly [server: string, tool: string],
  args: JsonObject,
  { evidence = silence, ...context }: CallOptions = {},
): Promise<Outcome> {
  const outcome = await withCallContext(context, () =>
    guard.perform({ server, tool, arguments: args, ...context }, wireOf(evidence)),
  );
  guard.delivered(outcome);
  return outcome;
}

/** Sweeps until the operation waits for a person. */
export async function untilUnresolved(guard: Guard, id: string): Promise<void> {
  const end = Date.now() + 20_000;
  while ((await guard.queue.show(id)).state !== "unresolved") {
    if (Date.now() > end) throw new Error(`${id} does not reach the queue`);
    await guard.sweep();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
