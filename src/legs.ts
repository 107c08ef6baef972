/**
 * Calls in several rounds. A server may answer a call with a question: `input_required`, or error -32042 for a visit to a
 * page. The question is on record before the caller hears it, and the leg that brings the answer is the same attempt,
 * whoever sends it: this process, the next one after a restart, another one on the same store.
 */
import { settledBody, settledCopy } from "./alias.ts";
import { legIdOf, operationIdOf, type Question, questionDigest } from "./core/identity.ts";
import type { EventOf } from "./core/lifecycle-events.ts";
import { isClosed, legEntry, questionEntry } from "./core/placement.ts";
import { isSettled, type WireEvidence } from "./core/terms.ts";
import type { Drive, Grant } from "./drive-api.ts";
import type { Parts } from "./guard-parts.ts";
import type { PreparedCall } from "./intake.ts";
import type { Begun } from "./ledger.ts";
import type { Operation } from "./operation.ts";
import { freshBytes } from "./random.ts";
import { newToken } from "./runtime.ts";

type AttemptRef = Pick<EventOf<"leg">, "attempt" | "token">;
type Store = Pick<Parts, "runtime" | "ledger">;

export function pauseOf(parts: Parts, { operation }: Drive, ref: AttemptRef, evidence: WireEvidence): EventOf<"leg"> {
  const { group, record, digest } = operation;
  const question: Question =
    evidence.kind === "result" ? { kind: "state", state: evidence.result.requestState } : { kind: "visit" };
  const asked = questionDigest(parts.runtime.keys(), { tag: group.tag, principal: record.principal, digest }, question);
  return { type: "leg", ...ref, asked };
}

/** Takes the question: of two answers at once one is sent. */
export async function nextLeg(parts: Parts, { operation }: Drive, question: string): Promise<Grant | undefined> {
  const { leaseUntil, spent } = operation.record;
  const grantedAt = parts.runtime.clock.monotonic();
  const event = { type: "next_leg", question, token: newToken() } as const;
  const moved = await parts.ledger.move(operation, event, leaseUntil === undefined ? {} : { notAfter: leaseUntil });
  return moved.kind === "moved" ? { basis: spent?.basis ?? "first", grantedAt } : undefined;
}

/**
 * What answers a question of a closed operation was sent before. Unless another call, equal in every word, was asked the
 * very same since: then it is for that one, whether it waits or has had its answer.
 */
export async function meetClosedLeg({ runtime, ledger }: Store, call: PreparedCall): Promise<Begun | undefined> {
  if (call.leg === undefined) return undefined;
  const { operation, generation } = await ledger.load(legIdOf(runtime.keys(), call.group.tag, call.leg));
  if (!operation || !isSettled(operation.record.state)) return undefined;
  const since = await askedSince({ runtime, ledger }, call, call.leg);
  return since ?? { kind: "met", relation: "same", operation, generation, sameDigest: true };
}

async function askedSince({ runtime, ledger }: Store, call: PreparedCall, question: string) {
  const { group, place, digest } = call;
  const id = operationIdOf(runtime.keys(), place, group.tag, { rank: 3, fresh: freshBytes(17) });
  // Of no age that may be begun: the store only looks who stands in its way.
  const nothing = { holds: [], acks: [], due: null, body: "", issuedAt: 0, maxAge: 0 };
  const blockedBy = [questionEntry(question), legEntry(question)];
  const within = runtime.settings.storeTimeout;
  const reply = await runtime.store.begin({ group, id, digest, token: newToken(), blockedBy, within, ...nothing });
  runtime.heard(reply.now);
  if (reply.kind !== "held") return undefined;
  const operation = ledger.handle(reply.record);
  const sameDigest = operation.digest === digest;
  return { kind: "met", relation: "other", operation, generation: reply.generation, sameDigest } as const;
}

/** Each leg of a closed operation gets a settled record of its own: it outlives the hold and expires by itself. */
export async function closeLegs({ runtime, ledger }: Store, operation: Operation): Promise<void> {
  const { record } = operation;
  if (record.legs === undefined || !isClosed(record)) return;
  for (const leg of record.legs) if (!(await keepLeg({ runtime, ledger }, operation, leg))) return;
  await ledger.move(operation, { type: "legs_over" });
}

/** @returns whether it is on record for as long as a record of now is kept */
async function keepLeg({ runtime, ledger }: Store, operation: Operation, leg: string): Promise<boolean> {
  const { group, digest } = operation;
  const id = legIdOf(runtime.keys(), group.tag, leg);
  const reply = await settledCopy(runtime, { group, digest, id }, operation);
  if (reply.kind !== "exists") return reply.kind === "created";
  const { version: expect, body, lossAt } = reply.record;
  const { record } = ledger.handle(reply.record);
  // What is not closed yet, as this very operation, ends later.
  if (id === operation.id || !isClosed(record)) return true;
  // Another call was asked the same: what is told of the leg is what the last one came to.
  const isCopy = record.tokens.length === 0;
  const last = operation.record.issuedAt < record.issuedAt ? { record } : operation;
  const swap = await runtime.store.swap({
    group,
    id,
    expect,
    token: newToken(),
    body: isCopy ? settledBody(last) : body,
    due: { after: 0 },
    attention: false,
    within: runtime.settings.storeTimeout,
    ...(lossAt !== undefined && { lossAt }),
  });
  runtime.heard(swap.now);
  return swap.kind === "swapped";
}
