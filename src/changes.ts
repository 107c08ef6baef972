/** From a decided move to the change that a store writes: body, payload, indexes, history. */
import { defined } from "./core/fields.ts";
import { evolve } from "./core/lifecycle.ts";
import type { LifecycleEvent } from "./core/lifecycle-events.ts";
import { holdChanges, placementOf, waitsForPerson } from "./core/placement.ts";
import type { OperationRecord, RecordDraft } from "./core/record.ts";
import { encodeRecord } from "./core/record-text.ts";
import { redact } from "./core/redaction.ts";
import { type Instant, isSettled, type State } from "./core/terms.ts";
import type { Transition } from "./core/transitions.ts";
import type { QueueNotice } from "./events.ts";
import type { PreparedCall } from "./intake.ts";
import { notableLines } from "./notable.ts";
import type { MoveOptions, Operation } from "./operation.ts";
import { type Payload, sealPayload } from "./payload.ts";
import type { Change } from "./ports.ts";
import { newToken, type Runtime } from "./runtime.ts";

const LARGEST_ARGUMENTS = 16_384;

/** What is kept of the arguments, as the text of a payload: redacted, and only the identity arguments when they are large. */
export function storedArguments(call: PreparedCall): string {
  const { value, complete } = redact(call.arguments, call.policy.redact, call.policy.keepArgs);
  const text = JSON.stringify({ arguments: value, complete } satisfies Payload);
  if (text.length <= LARGEST_ARGUMENTS) return text;
  const identity = call.policy.keepArgs.map((at) => at.split("/")[1] ?? "");
  const kept = Object.fromEntries(Object.entries(value).filter(([name]) => identity.includes(name)));
  return JSON.stringify({ arguments: kept, complete: false } satisfies Payload);
}

const some = <T>(items: readonly T[]): readonly T[] | undefined => (items.length > 0 ? items : undefined);

export function changeOf(
  runtime: Runtime,
  operation: Operation,
  draft: RecordDraft,
  row: Transition,
  event: LifecycleEvent,
  options: MoveOptions,
): Change {
  const now = runtime.storeNow();
  const place = placementOf(draft, now);
  const journal = notableLines({ before: operation.record, draft, row: row.id, event, note: options.note, now });
  const holds = holdChanges(operation.record, place.holds);
  const { payload = options.keep, payloadExpireIn } = isSettled(draft.state) ? options : { payload: options.keep };
  return defined<Change>({
    id: operation.id,
    expect: operation.version,
    lossAt: operation.lossAt,
    token: options.token ?? newToken(),
    body: encodeRecord(draft),
    payload: payload ? sealPayload(runtime.keys(), operation.id, payload) : payload,
    // Whoever looks into a conflict needs both sides of it, however late.
    payloadExpireIn: draft.conflict ? undefined : payloadExpireIn,
    addHolds: some(holds.add),
    removeHolds: some(holds.remove),
    due: place.due,
    attention: place.attention,
    since: place.attention ? operation.record.issuedAt : undefined,
    expireIn: place.expireIn,
    history: historyOf(operation, row, event, draft, options.note),
    journal: some(journal),
  });
}

/** The delivery of a settled operation; nothing when the machine has no use for it any more. */
export function ackOf(runtime: Runtime, operation: Operation): Change[] {
  const event = { type: "deliver" } as const;
  const moved = evolve(operation.record, event, runtime.storeNow());
  return moved.kind === "moved" ? [changeOf(runtime, operation, moved.record, moved.row, event, {})] : [];
}

const ROUTINE: readonly LifecycleEvent["type"][] = ["renew", "task_working", "deliver", "hold_over"];

/** A clean first success needs no history: the record itself says all of it. */
function historyOf(
  operation: Operation,
  row: Transition,
  event: LifecycleEvent,
  draft: RecordDraft,
  note: MoveOptions["note"],
): string[] | undefined {
  const { state, attempts } = operation.record;
  const clean = row.id === "ok" && state === "in_flight" && attempts === 1 && note?.sentAgainBelow === undefined;
  if (clean || ROUTINE.includes(event.type)) return undefined;
  return [
    historyLine(row.id, state, {
      to: draft.state,
      // The version that this move makes: what happened after the one that somebody looked at.
      v: operation.version + 1,
      ...("attempt" in event && { attempt: event.attempt }),
      ...("reason" in event && { reason: event.reason }),
      ...note,
    }),
  ];
}

/** One line of the append-only history. The store stamps its time. */
export function historyLine(row: string, from: State | undefined, facts: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ row, ...(from !== undefined && { from }), ...facts });
}

/** What a move means for listeners. */
export function tell(runtime: Runtime, operation: Operation, row: Transition, from: OperationRecord): void {
  const { id, record } = operation;
  const { server, tool } = operation.group;
  runtime.events.emit("transition", { operation: id, server, tool, row: row.id, from: from.state, to: record.state });
  if (record.conflict && ["ok", "ok_conflict", "ok_second", "present", "reopen"].includes(row.id)) {
    runtime.events.emit("conflict", noticeOf(operation, runtime.storeNow()));
  }
  if (waitsInQueue(record) && !waitsInQueue(from)) {
    runtime.events.emit("queued", noticeOf(operation, runtime.storeNow()));
  }
}

const waitsInQueue = (record: OperationRecord): boolean => record.state === "unresolved" || waitsForPerson(record);

export function noticeOf({ id, version, group, record }: Operation, now: Instant): QueueNotice {
  return {
    operation: id,
    version,
    server: group.server,
    tool: group.tool,
    state: record.state,
    reason: record.reason ?? record.state,
    ageMs: Math.max(0, now - record.issuedAt),
  };
}
