/**
 * What a known loss of acknowledged writes means: for a call that finds no record, and for a record that is still there.
 * The version that is left may have been followed by others: a permit that looks unspent may be spent, an attempt that
 * looks newest may have had a successor.
 */
import { evolve } from "./lifecycle.ts";
import type { LifecycleEvent } from "./lifecycle-events.ts";
import type { OperationRecord } from "./record.ts";
import { stampRecord } from "./record-text.ts";
import { type Instant, isSettled } from "./terms.ts";

/** What a call says of its age: when it was issued, and which question of a server it answers. */
interface Issue {
  readonly issuedAt?: Instant;
  readonly leg?: string;
}

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
  { issuedAt, leg }: Issue,
  maxAge: number,
  clockSkew = CLOCK_SKEW,
): { readonly issuedAt?: Instant; readonly maxAge: number } {
  if (issuedAt !== undefined) return { issuedAt: issuedAt - clockSkew, maxAge };
  return leg === undefined ? { maxAge } : { issuedAt: LONG_AGO, maxAge: Number.MAX_SAFE_INTEGER };
}

/**
 * Whether a suspect call is taken in as a doubt. A round without an issue time is refused (`question_lost`): under an id of
 * its own, no look and no key would find what its call did before the loss.
 */
export const isAdopted = ({ issuedAt, leg }: Issue): boolean => leg === undefined || issuedAt !== undefined;

/** A record as it was read: `written` is the version as the store has it, where a loss makes `record` another one. */
interface Held {
  readonly version: number;
  readonly record: OperationRecord;
  readonly written: OperationRecord | undefined;
  readonly lossAt: Instant | undefined;
  readonly askedAt: number | undefined;
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
export function seenSinceLoss(
  { at, lossAt }: { readonly at: Instant; readonly lossAt?: Instant },
  record: OperationRecord,
): Seen {
  if (lossAt === undefined || at > lossAt || isSettled(record.state)) return { record, written: undefined };
  const doubted = evolve(record, { type: "store_loss", lossAt }, lossAt);
  if (doubted.kind === "refused") return { record, written: undefined };
  return { record: record.state === "in_flight" ? record : stampRecord(doubted.record, at), written: record };
}

/** What has to be written before a move of this handle. */
export function lossToWrite({
  written,
  lossAt,
}: Pick<Held, "written" | "lossAt">): Extract<LifecycleEvent, { type: "store_loss" }> | undefined {
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
  mine: Held,
  left: Held,
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
