/** What is there at the destination before the first send: read between the record and the start, kept with the record. */
import type { Drive } from "./drive-api.ts";
import type { Parts } from "./guard-parts.ts";
import { readBefore } from "./look.ts";
import { openPayload, type Payload } from "./payload.ts";

/** The share of the deadline that the read may take. */
const SHARE = 3;

/**
 * @returns the payload to keep; undefined: no baseline is declared, one is there already, or a send went before
 */
export async function withBaseline(parts: Parts, run: Drive): Promise<Payload | undefined> {
  const { operation, policy, budget, wire } = run;
  if (!policy.before || operation.record.attempts > 0) return undefined;
  const known = openPayload(parts.runtime.keys(), operation.id, operation.payload);
  if (known?.baseline) return undefined;
  const within = Math.min(policy.lookWithin, budget.remaining() / SHARE);
  try {
    return { ...known, baseline: await readBefore(parts, operation, policy, policy.before, wire, within) };
  } catch (error) {
    // The call goes on: without a baseline later looks are unclear, and a person decides.
    const why = error instanceof Error ? error.message : String(error);
    const message = `What was there before ${operation.id} could not be read (${why}): its looks will be unclear.`;
    parts.runtime.events.emit("warning", { message });
    return undefined;
  }
}
