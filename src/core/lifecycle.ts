/**
 * Runs the operation state machine: the table in transitions.ts, guards and effects as pure functions.
 *
 * Input is a record and an event, output is the next record or the reason why not. The order is fixed by the caller:
 * the next record is saved BEFORE anything is sent, and saved by compare-and-set on the version that was read.
 */
import { EFFECTS } from "./lifecycle-effects.ts";
import type { EventOf, EventType, LifecycleEvent } from "./lifecycle-events.ts";
import { GUARDS } from "./lifecycle-guards.ts";
import type { OperationRecord, RecordDraft } from "./record.ts";
import type { Instant } from "./terms.ts";
import { TRANSITIONS, type Transition } from "./transitions.ts";

export type Evolved =
  | { readonly kind: "moved"; readonly row: Transition; readonly record: RecordDraft }
  | { readonly kind: "refused"; readonly why: string };

/** The rows of each event, in table order. */
const ROWS = new Map(
  TRANSITIONS.map(({ event }) => [event, TRANSITIONS.filter((row) => row.event === event)] as const),
);

/**
 * Applies one event. @param now the store's clock: a lower bound for guards that let something happen only later, taken
 * before the decision; every new time in the result is counted from the write itself.
 */
export function evolve(record: OperationRecord | undefined, event: LifecycleEvent, now: Instant): Evolved {
  const state = record?.state ?? "none";
  let why = `${event.type} does not apply in state ${state}`;
  for (const row of ROWS.get(event.type) ?? []) {
    if (!row.from.includes(state)) continue;
    const failed = row.guards.find((guard) => !record || !GUARDS[guard](record, event, now));
    if (failed) {
      why = `${row.id}: ${failed}`;
      continue;
    }
    return { kind: "moved", row, record: applyEffect(record, event, now) };
  }
  return { kind: "refused", why };
}

function applyEffect(record: OperationRecord | undefined, event: LifecycleEvent, now: Instant): RecordDraft {
  const effect = EFFECTS[event.type] as (
    record: OperationRecord | undefined,
    event: EventOf<EventType>,
    now: Instant,
  ) => RecordDraft;
  return effect(record, event, now);
}
