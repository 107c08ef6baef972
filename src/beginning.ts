/** The write-ahead step: one round trip that creates the record, or tells what stands in the way. */

import { isAdopted } from "./core/loss.ts";
import { leavesOpen } from "./errors.ts";
import type { Parts } from "./guard-parts.ts";
import type { PreparedCall, Refusal } from "./intake.ts";
import { type Begun, birthOf } from "./ledger.ts";
import { meetClosedLeg } from "./legs.ts";
import type { Operation } from "./operation.ts";
import { newToken } from "./runtime.ts";

export type Beginning =
  | Extract<Begun, { kind: "created" | "met" | "mismatch" }>
  | ({ readonly kind: "refused" } & Refusal);

export async function beginOrAdopt(parts: Parts, call: PreparedCall): Promise<Beginning> {
  const birth = birthOf(call, parts.runtime.keys().id);
  const begun = (await meetClosedLeg(parts, call)) ?? (await beginOrMeet(parts, call));
  if (begun === "lapsed") return lapsed(parts, call);
  if (begun.kind === "suspect") {
    if (!isAdopted(call)) return { kind: "refused", because: "question_lost", detail: QUESTION_LOST };
    const adopted = await parts.ledger.begin(call, { type: "adopt", reason: begun.because, ...birth });
    if (adopted.kind === "suspect") throw new Error("a store must not suspect an adopted intent");
    return adopted.kind === "created" ? { ...adopted, kind: "met", relation: "same", sameDigest: true } : adopted;
  }
  if (begun.kind !== "met" || begun.relation === "same" || call.call.confirmRepeatOf === undefined) return begun;
  return repeatOnPurpose(parts, call, begun.operation);
}

const QUESTION_LOST =
  "Look at the destination. To send it all the same, begin the call anew, or give the round an operationId (UUIDv7) from after the loss.";

const beginOrMeet = (parts: Parts, call: PreparedCall): Promise<Begun | "lapsed"> =>
  isLapsed(parts, call) ? beginLapsed(parts, call) : issue(parts, call, false);

/** The host confirmed the repeat of exactly the operation that stands in the way. */
async function repeatOnPurpose(parts: Parts, call: PreparedCall, holder: Operation): Promise<Beginning> {
  if (call.call.confirmRepeatOf !== holder.id) {
    return {
      kind: "refused",
      because: "confirm_repeat",
      detail: `The call is held by ${holder.id}; confirm that one.`,
    };
  }
  const begun = await issue(parts, call, true);
  if (begun.kind !== "suspect") return begun;
  return { kind: "refused", because: "lapsed", detail: "The store lost records; look at the destination first." };
}

/** When the reply to `begin` is lost for good, a record may stand there although nothing was sent: say so when the store is back. */
async function issue(parts: Parts, call: PreparedCall, ignoreHolds: boolean): Promise<Begun> {
  const token = newToken();
  try {
    const birth = birthOf(call, parts.runtime.keys().id);
    // What is there before the send is read between the record and the start.
    const event = call.policy.before
      ? ({ type: "submit", ...birth } as const)
      : ({ type: "issue", token, ...birth } as const);
    return await parts.ledger.begin(call, event, { ignoreHolds });
  } catch (error) {
    if (leavesOpen(error)) await parts.journal.afterwards(call.id, { type: "unsent", attempt: 1, token });
    throw error;
  }
}

/**
 * An old intent is not carried out late; one that is on record goes on from its record. The record itself tells whether
 * a loss may hide an earlier attempt (I7): it is begun with a permit that has lapsed, and closed.
 */
async function beginLapsed(parts: Parts, call: PreparedCall): Promise<Begun | "lapsed"> {
  const birth = birthOf(call, parts.runtime.keys().id);
  const begun = await parts.ledger.begin(call, { type: "submit", ...birth });
  if (begun.kind !== "created") return begun;
  await parts.ledger.move(begun.operation, { type: "give_up" });
  return "lapsed";
}

function isLapsed(parts: Parts, call: PreparedCall): boolean {
  if (call.issuedAt === undefined) return false;
  return parts.runtime.storeNow() - call.issuedAt >= call.policy.limits.validFor;
}

function lapsed(parts: Parts, call: PreparedCall): Beginning {
  const age = Math.round((parts.runtime.storeNow() - (call.issuedAt ?? 0)) / 1000);
  const detail = `Issued ${age} s ago; validFor is ${call.policy.limits.validFor / 1000} s. Raise validFor for this tool, or pass issuedAt (ms) where the id is older than the wish.`;
  return { kind: "refused", because: "lapsed", detail };
}
