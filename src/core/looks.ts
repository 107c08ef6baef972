/** What a look at the destination means: for the record in doubt, and for an outcome that is still watched. */
import { evolve } from "./lifecycle.ts";
import type { EventOf, LifecycleEvent } from "./lifecycle-events.ts";
import { GUARDS } from "./lifecycle-guards.ts";
import { gapOf } from "./limits.ts";
import type { ReasonCode } from "./reasons.ts";
import type { OperationRecord } from "./record.ts";
import type { Instant, Observation } from "./terms.ts";

/** An absence that was found by something else than what was sent proves nothing. @param masked its place, if it was read */
export function judged(observation: Observation, masked: string | undefined): Observation {
  if (masked === undefined || !saysAbsent(observation)) return observation;
  const reason = `the hook read ${masked}, which is masked in what is kept, so its absence proves nothing: look by something else, or name it in identityArgs`;
  return { kind: "unclear", reason };
}

const saysAbsent = (observation: Observation): boolean =>
  observation.kind === "absent" ||
  (observation.kind === "partial" && observation.items.some(({ verdict }) => verdict === "absent"));

/** Whose the reference is that was found: one reference settles one operation. `unknown`: the store could not say. */
export type Owner = "this" | "another" | "unknown";

/** What an observation does to a record in doubt; undefined: it changes nothing (an early absence is no observation). */
export function findingOf(
  record: OperationRecord,
  observation: Observation,
  readAt: Instant,
  owner: Owner,
): LifecycleEvent | undefined {
  switch (observation.kind) {
    case "applied": {
      const { ref, attributed = true, count = 1 } = observation;
      if (owner === "another") return probeFail(record, "reference_claimed_twice");
      if (owner === "unknown") return probeFail(record, "probe_unclear");
      return { type: "present", attributed, count, ...(ref !== undefined && { ref }) };
    }
    case "partial":
      // An item that is missing is an absence like any other: before quiescence and staleness it may still land.
      if (saysAbsent(observation) && !GUARDS.absence_counts(record, { type: "absent", readAt })) return undefined;
      return { type: "partial", items: observation.items };
    case "absent": {
      const event = { type: "absent", readAt } as const;
      return evolve(record, event, readAt).kind === "moved" ? event : undefined;
    }
    case "unclear":
      return probeFail(record, "probe_unclear");
  }
}

export const probeFail = ({ probes = 0 }: OperationRecord, reason: string): EventOf<"probe_fail"> => ({
  type: "probe_fail",
  reason,
  retryIn: Math.min(1_000 * 2 ** probes, 300_000),
});

/** After an early absence: look again soon for a presence, and surely when an absence can count; where none ever can, ask. */
export function afterEarlyAbsence(
  { quiesceAt = 0, issuedAt, limits, answered }: OperationRecord,
  now: Instant,
): EventOf<"probe_fail"> | EventOf<"escalate"> {
  const counts = quiesceAt + limits.staleness - now;
  if (counts <= 0 && !limits.settleDeclared && !answered) return { type: "escalate", reason: "settle_not_declared" };
  const soon = Math.max(1_000, (now - issuedAt) / 2);
  const retryIn = Math.ceil(counts > 0 ? Math.min(soon, counts) : gapOf(limits));
  return { type: "probe_fail", reason: "probe_unclear", retryIn, early: true };
}

/** What in an observation cannot be, if the outcome on record holds. @param over the watch ends with this look */
export function contradictionIn(
  { limits }: OperationRecord,
  observation: Observation,
  over: boolean,
): ReasonCode | undefined {
  if (observation.kind === "applied") return (observation.count ?? 1) > 1 ? "more_effects_than_one" : undefined;
  const gone = observation.kind === "absent" && over && limits.settleDeclared;
  return gone ? "not_shown_after_success" : undefined;
}
