/**
 * Settled records under other ids than the operation's own. A call with an identity of its own that was answered from
 * another operation's record gets one: when its run is resumed, the same tool-call id is answered so again and never
 * becomes a first send. So does each leg of a closed operation.
 */
import type { Answer } from "./core/outcome.ts";
import { encodeRecord } from "./core/record-text.ts";
import { isSettled } from "./core/terms.ts";
import type { Parts } from "./guard-parts.ts";
import type { PreparedCall } from "./intake.ts";
import type { Operation } from "./operation.ts";
import { openPayload, sealPayload } from "./payload.ts";
import type { BeginReply } from "./ports.ts";
import { newToken, type Runtime } from "./runtime.ts";

/** Never throws: the caller has its answer, with or without this. */
export async function rememberAnswer(parts: Parts, call: PreparedCall, told: Operation): Promise<void> {
  try {
    await writeAlias(parts, call, told);
  } catch (error) {
    const message = `The answer of ${told.id} is not on record for the tool-call id that got it: ${String(error)}`;
    parts.runtime.events.emit("warning", { message });
  }
}

async function writeAlias({ runtime }: Parts, call: PreparedCall, told: Operation): Promise<void> {
  if (call.rank !== 2 || call.id === told.id || !isSettled(told.record.state)) return;
  await settledCopy(runtime, call, told, openPayload(runtime.keys(), told.id, told.payload)?.answer);
}

/** Nothing happens where there is a record under this id already. */
export async function settledCopy(
  runtime: Runtime,
  { group, id, digest }: Pick<Operation, "group" | "id" | "digest">,
  told: Operation,
  answer?: Answer,
): Promise<BeginReply> {
  const reply = await runtime.store.begin({
    group,
    id,
    digest,
    token: newToken(),
    body: settledBody(told),
    ...(answer && { payload: sealPayload(runtime.keys(), id, { answer }) }),
    holds: [],
    blockedBy: [],
    acks: [],
    // The sweeper gives it its end like any record whose hold is over.
    due: { after: 0 },
    within: runtime.settings.storeTimeout,
    maxAge: Number.MAX_SAFE_INTEGER,
    adopting: true,
  });
  runtime.heard(reply.now);
  return reply;
}

/** Without tokens: no attempt speaks for it. */
export function settledBody({ record }: Pick<Operation, "record">): string {
  const { state, attempts, issuedAt, settledAt, ref, attributed, limits } = record;
  return encodeRecord({
    state,
    attempts,
    open: 0,
    tokens: [],
    issuedAt,
    limits,
    delivered: true,
    ...(settledAt !== undefined && { settledAt }),
    ...(ref !== undefined && { ref }),
    ...(attributed !== undefined && { attributed }),
  });
}
