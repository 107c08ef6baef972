/** Calls in several rounds: what the answer to one of them says of the whole call. */
import type { Verdict } from "./classification-table.ts";
import { ofLeg } from "./evidence.ts";
import type { EventOf, LifecycleEvent } from "./lifecycle-events.ts";
import type { OperationRecord } from "./record.ts";
import type { WireEvidence } from "./terms.ts";

type AttemptRef = Pick<EventOf<"leg">, "attempt" | "token">;
type Rounds = Pick<OperationRecord, "legs" | "attempts">;

/** Questions of one call: a record stays small, and a server that asks for ever is not followed. */
const MOST_LEGS = 64;

/** What the answer says of the operation, and not only of its last leg. */
export const spokenBy = (record: Rounds, evidence: WireEvidence): WireEvidence =>
  record.legs === undefined || (evidence.kind === "not_sent" && isLeg(record)) ? evidence : ofLeg(evidence);

/** A leg that was not handed over is no word on the legs before it. Of a resend it is not known whether any came before. */
export function unsentOf(record: Rounds, ref: AttemptRef): LifecycleEvent {
  if (record.legs === undefined) return { type: "unsent", ...ref };
  return isLeg(record) ? { type: "unsent_leg", ...ref } : { type: "doubt", ...ref, reason: "silence", answered: false };
}

/** A resend may be the whole call again. */
const isLeg = ({ legs, attempts }: Rounds): boolean => legs !== undefined && attempts === 1;

/** A question too many is an answer that proves nothing. */
export const verdictOn = ({ legs = [] }: Rounds, verdict: Verdict): Verdict =>
  verdict.kind === "paused" && legs.length >= MOST_LEGS
    ? { kind: "uncertain", row: "too_many_rounds", answered: true }
    : verdict;
