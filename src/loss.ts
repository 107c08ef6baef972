/**
 * What a known loss of acknowledged writes means for a record that is still there. The version that is left may have been
 * followed by others: a permit that looks unspent may be spent, an attempt that looks newest may have had a successor.
 */
import { evolve } from "./core/lifecycle.ts";
import type { LifecycleEvent } from "./core/lifecycle-events.ts";
import type { OperationRecord } from "./core/record.ts";
import { stampRecord } from "./core/record-text.ts";
import { type Instant, isSettled } from "./core/terms.ts";
import type { PreparedCall } from "./intake.ts";
import type { Operation } from "./operation.ts";
import type { BeginRequest, Store, StoredRecord } from "./ports.ts";

/** In ms, unless the store says otherwise. */
const CLOCK_SKEW = 5_000;

/** Before every loss. */
const LONG_AGO = 1;

/**
 * When a call was issued at the earliest, by the clock of the store. A loss is known by that clock, an issue time by its
 * issuer's, which may be ahead: then an intent from before the loss looks younger. A round without an issue time may be as
 * old as any: the question that it answers may be what was lost.
 */
export function ageOf(
  { clockSkew = CLOCK_SKEW }: Store,
  { issuedAt, leg }: Pick<PreparedCall, "issuedAt" | "leg">,
  maxAge: number,
): Pick<BeginRequest, "issuedAt" | "maxAge"> {
  if (issuedAt !== undefined) return { issuedAt: issuedAt - clockSkew, maxAge };
  return leg === undefined ? { maxAge } : { issuedAt: LONG_AGO, maxAge: Number.MAX_SAFE_INTEGER };
}

/** `written`: the version as the store has it, where `record` is more doubtful. */
export interface Seen {
  readonly record: OperationRecord;
  readonly written: OperationRecord | undefined;
}

/**
 * How a record is to be seen. One in flight is shown as it is, for its driver may be at work; it becomes a doubt with the
 * first move that is not its driver's.
 */
export function seenSinceLoss({ at, lossAt }: StoredRecord, record: OperationRecord): Seen {
  if (lossAt === undefined || at > lossAt || isSettled(record.state)) return { record, written: undefined };
  const doubted = evolve(record, { type: "store_loss", lossAt }, lossAt);
  if (doubted.kind === "refused") return { record, written: undefined };
  return { record: record.state === "in_flight" ? record : stampRecord(doubted.record, at), written: record };
}

/** What has to be written before a move of this handle. */
export function lossToWrite({
  written,
  lossAt,
}: Operation): Extract<LifecycleEvent, { type: "store_loss" }> | undefined {
  return written && lossAt !== undefined ? { type: "store_loss", lossAt } : undefined;
}

/** Moves that leave the attempt where it is, or are the best evidence there is: nobody gets a permit by them. */
const HARMLESS: readonly LifecycleEvent["type"][] = ["renew", "leg", "task_created", "ok"];

/**
 * Whether the driver of the attempt in flight may go on as if nothing had been lost: what is left is the very version that
 * it holds, and under its lease, which ran on the store's clock at the loss and runs on its own now, nobody else could
 * have written a newer one. Neither has it written one itself without hearing of it: that is only sure at the `first` try.
 */
export function isStillDriven(
  mine: Operation,
  left: Operation,
  event: LifecycleEvent,
  { first, now }: { readonly first: boolean; readonly now: number },
): boolean {
  const { record } = mine;
  if (!left.written || mine.written || mine.askedAt === undefined || left.version !== mine.version) return false;
  if (record.state !== "in_flight" || left.record.state !== "in_flight" || !("attempt" in event)) return false;
  const isOwn = event.attempt === record.attempts && left.record.tokens[event.attempt - 1] === event.token;
  const lease = (at: Instant) => at < (left.record.leaseUntil ?? 0);
  const isLeased = lease(left.lossAt ?? 0) && now - mine.askedAt < left.record.limits.lease;
  return isOwn && isLeased && (first || HARMLESS.includes(event.type));
}

interface Mover {
  move(operation: Operation, event: LifecycleEvent): Promise<unknown>;
}

/**
 * Writes down what a loss made doubtful. One in flight waits for the end of its lease: its driver may be at work.
 * @returns whether there was something to write
 */
export async function countLoss({ ledger }: { readonly ledger: Mover }, operation: Operation): Promise<boolean> {
  const loss = operation.record.state === "in_flight" ? undefined : lossToWrite(operation);
  if (loss) await ledger.move(operation, loss);
  return loss !== undefined;
}
