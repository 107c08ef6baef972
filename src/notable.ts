/**
 * What of a move is notable for the journal of its tool: doubt that begins, doubt that ends and how, what people decide,
 * conflicts. A clean call leaves no line.
 */
import type { LifecycleEvent } from "./core/lifecycle-events.ts";
import type { OperationRecord, RecordDraft } from "./core/record.ts";
import { type Basis, type Instant, isDoubt, isSettled, type State } from "./core/terms.ts";
import type { JournalEntry } from "./ports.ts";
import type { JournalKind, JournalLine } from "./queue-reports-api.ts";

export interface Move {
  readonly before: OperationRecord;
  readonly draft: RecordDraft;
  readonly row: string;
  readonly event: LifecycleEvent;
  readonly note: Readonly<Record<string, unknown>> | undefined;
  readonly now: Instant;
}

type Facts = Omit<JournalLine, "at" | "id" | "server" | "tool" | "kind">;

/** Bases of a send that follows one of unknown effect. */
const AFTER_DOUBT: readonly (Basis | undefined)[] = ["contract", "observed_absent", "operator"];

const wasInDoubt = ({ state, permit, spent }: OperationRecord): boolean =>
  isDoubt(state) || AFTER_DOUBT.includes((permit ?? spent)?.basis);

export function notableLines(move: Move): string[] {
  const { before, draft, event } = move;
  const kinds: JournalKind[] = [];
  if (draft.conflict && !before.conflict) kinds.push("conflict");
  if (event.type === "correct") kinds.push("correction");
  else if (event.type.startsWith("operator_")) kinds.push("verdict");
  else if (beginsDoubt(move)) kinds.push("doubt");
  else if (isSettled(draft.state) && !isSettled(before.state) && wasInDoubt(before)) kinds.push("settled");
  return kinds.map((kind) => writeLine(kind, factsOf(move)));
}

/** An adopted intent is in doubt from its birth. */
export const adoptedLine = (reason: string): string => writeLine("doubt", { row: "adopt", to: "uncertain", reason });

/** A resend that did nothing leaves the doubt where it was. */
const beginsDoubt = ({ before, draft, event }: Move): boolean => {
  if (event.type === "store_loss") return !isDoubt(before.state);
  return (
    before.state === "in_flight" &&
    draft.state === "uncertain" &&
    (event.type === "doubt" ||
      event.type === "lease_over" ||
      event.type === "answered_error" ||
      event.type === "task_lost")
  );
};

function factsOf({ before, draft, row, event, note = {}, now }: Move): Facts {
  const { sentMs, actor, ref, override } = note;
  const { reason = draft.reason } = note;
  const how = isSettled(draft.state) && !isSettled(before.state) ? howOf(before, event, note) : undefined;
  const landed = landedOf(before, event, how);
  return {
    row,
    from: before.state,
    to: draft.state,
    ...(typeof reason === "string" && { reason }),
    ...(typeof actor === "string" && { actor }),
    ...(typeof ref === "string" ? { ref } : draft.ref !== undefined && { ref: draft.ref }),
    ...(override === true && { override }),
    ...(how !== undefined && { how }),
    ...(landed !== undefined && { landed }),
    ageMs: typeof sentMs === "number" ? Math.round(sentMs) : Math.max(0, now - before.issuedAt),
  };
}

function howOf(before: OperationRecord, event: LifecycleEvent, note: Readonly<Record<string, unknown>>): string {
  if (event.type.startsWith("operator_")) return "verdict";
  if (event.type === "unsent") return "never_sent";
  if ("attempt" in event) return isOfResend(before, event.attempt) ? "resend_answered" : "late_answer";
  // "It is already there" is what a destination says to a repeat.
  return event.type === "present" && note.evidence !== undefined ? "resend_answered" : "observation";
}

const isOfResend = (before: OperationRecord, attempt: number): boolean =>
  before.state === "in_flight" && attempt > 1 && attempt === before.attempts;

/** Whether the sends that nobody answered had had the effect; undefined: that remains unknown. */
function landedOf(before: OperationRecord, event: LifecycleEvent, how: string | undefined): boolean | undefined {
  switch (event.type) {
    case "ok":
      // The success of a resend says nothing about the sends before it, unless their absence was seen first.
      if (how !== "resend_answered") return true;
      return before.spent?.basis === "observed_absent" ? false : undefined;
    case "present":
    case "partial":
    case "operator_applied":
      return true;
    case "absent":
    case "operator_absent":
    case "unsent":
    case "rejected":
      return false;
    case "correct":
      return EFFECTS[event.to];
    default:
      return undefined;
  }
}

const EFFECTS: Readonly<Partial<Record<State, boolean>>> = {
  succeeded: true,
  applied: true,
  partial: true,
  rejected: false,
  not_applied: false,
};

const writeLine = (kind: JournalKind, facts: Facts): string => JSON.stringify({ kind, ...facts });

/** Undefined for a line that this version cannot read: a newer one may have written it. */
export function readLine({ at, id, group, line }: JournalEntry): JournalLine | undefined {
  try {
    const facts = JSON.parse(line) as Facts & { kind: JournalKind };
    const { server, tool } = group;
    return typeof facts.row === "string" ? { ...facts, at, id, server, tool } : undefined;
  } catch {
    return undefined;
  }
}
