/** The life of an operation in words, from its history: what was sent, heard, seen and decided, and what lies ahead. */
import { reasonFor } from "./core/reasons.ts";
import type { OperationRecord } from "./core/record.ts";
import type { Basis, Instant } from "./core/terms.ts";
import type { AuditLine, TimelineEntry, TimelineKind } from "./queue-api.ts";

type Told = Omit<TimelineEntry, "at">;

/** @param canLook a hook of this configuration would look at the destination */
export function timelineOf(
  record: OperationRecord,
  audit: readonly AuditLine[],
  now: Instant,
  canLook: boolean,
): TimelineEntry[] {
  // At one and the same time the end of the settle window comes before what it made possible.
  return [...beginning(record, audit), ...ahead(record, now, canLook), ...audit.flatMap(entryOf)].sort(
    (one, other) => Number(one.planned ?? false) - Number(other.planned ?? false) || one.at - other.at,
  );
}

/** The first send of a clean call leaves no line: what came of it says when it was. */
function beginning(record: OperationRecord, audit: readonly AuditLine[]): TimelineEntry[] {
  const issued = { at: record.issuedAt, kind: "issued", by: "indoubt" } as const;
  if (audit[0]?.row === "adopt") return [{ ...issued, words: "The intent was issued." }];
  const entry = { ...issued, words: "The intent was recorded, before anything was sent." };
  const later = audit.filter(({ row }) => row === "start" || row === "resend").length;
  if (record.attempts <= later) return [entry];
  const heard = audit.find(({ attempt, sentMs }) => attempt === 1 && typeof sentMs === "number");
  const at = heard ? Math.max(record.issuedAt, heard.at - Number(heard.sentMs)) : record.issuedAt;
  return [entry, { at, kind: "sent", by: "indoubt", words: "Sent to the server." }];
}

function entryOf(line: AuditLine): TimelineEntry[] {
  const told = (ROWS[line.row] ?? unlisted)(line);
  return told ? [{ at: line.at, ...told }] : [];
}

type Teller = (line: AuditLine) => Told | undefined;

const told =
  (kind: TimelineKind, by: TimelineEntry["by"], words: string): Teller =>
  () => ({ kind, by, words });

const wasInDoubt = ({ from }: AuditLine): boolean => from !== "in_flight";

/** What an answer says, in time or late. */
const answer =
  (words: string, lateWords = words): Teller =>
  (line) => {
    const late = wasInDoubt(line);
    return { kind: late ? "late_answer" : "answer", by: "server", words: late ? lateWords : words };
  };

const SENT_ON: Readonly<Record<Basis, string>> = {
  first: "Sent to the server.",
  unsent: "Sent again: nothing had been handed over before.",
  rejected: "Sent again: the server had declined before any work.",
  contract: "Sent again under the contract.",
  observed_absent: "Sent again: the destination did not show it.",
  operator: "Sent again by a person's order.",
};

function sentOn({ basis }: AuditLine): Told {
  return { kind: "sent", by: "indoubt", words: SENT_ON[basis as Basis] ?? "Sent to the server." };
}

function doubt(line: AuditLine): Told {
  const { evidence } = line as { evidence?: { kind?: string; cause?: string } };
  const { person } = reasonFor(line.reason);
  if (evidence?.cause === "deadline") return { kind: "deadline", by: "indoubt", words: "No answer came in time." };
  if (evidence?.cause === "caller_aborted")
    return { kind: "deadline", by: "indoubt", words: "The caller gave up before an answer came." };
  if (evidence?.kind === "silence")
    return { kind: "other", by: "indoubt", words: `The connection brought no usable answer (${evidence.cause}).` };
  return { kind: "answer", by: "server", words: person };
}

function unclear({ observation, early, said, reason }: AuditLine): Told {
  const seen = { kind: "observation", by: "destination" } as const;
  if (observation === "absent") {
    const words = early
      ? "The destination does not show it; that is too early to count."
      : "The destination does not show it.";
    return { ...seen, words };
  }
  const words = reasonFor(reason).person;
  return typeof said === "string" ? { ...seen, words, text: said } : { ...seen, words };
}

const verdict =
  (words: string): Teller =>
  ({ actor, reason, ref, override, from, to }) => {
    const sentence = words.replace("{from}", String(from)).replace("{to}", String(to));
    const named = typeof ref === "string" ? ` (${ref})` : "";
    return {
      kind: "verdict",
      by: "operator",
      words: override ? `${sentence} With override.` : sentence,
      text: `${actor ?? "?"}: ${reason ?? ""}${named}`,
    };
  };

const reasoned =
  (words: string, kind: TimelineKind = "other", by: TimelineEntry["by"] = "indoubt"): Teller =>
  ({ reason }) => ({ kind, by, words: `${words} ${reasonFor(reason).person}`.trim() });

function watched({ observation }: AuditLine): Told {
  if (observation === "applied")
    return { kind: "observation", by: "destination", words: "The destination shows the effect." };
  const words =
    observation === "absent" ? "The destination did not show it to the end of the watch." : "The watch ended.";
  return { kind: "observation", by: "destination", words };
}

const unlisted: Teller = ({ row }) => ({ kind: "other", by: "indoubt", words: `${row}.` });

/** By row of docs/states.md. */
const ROWS: Readonly<Record<string, Teller>> = {
  adopt: reasoned("It counts as sent, to be on the safe side:"),
  start: sentOn,
  resend: told("sent", "indoubt", SENT_ON.contract),
  leg: told("answer", "server", "The server asked for input."),
  unsent_leg: told("other", "indoubt", "It turned out that this was not handed over: the question is still open."),
  next_leg: told("sent", "indoubt", "The answer to that was sent."),
  task_created: told("answer", "server", "The server took it on as a task of its own."),
  unsent: told("other", "indoubt", "Nothing was handed over: that send did not take place."),
  unsent_late: told("other", "indoubt", "It turned out that nothing had been handed over."),
  ok: answer("The server answered: done.", "The answer came late: done."),
  ok_enrich: answer("The late answer agrees with what was seen."),
  ok_second: answer("A second send was answered with success, too: the effect may be there twice."),
  ok_conflict: answer("A success came for an operation that was closed as without effect: conflict."),
  answered_error: answer(
    "The tool answered with an error, which proves nothing about the effect.",
    "A late error answer came, which proves nothing about the effect.",
  ),
  rejected: answer("The server declined: that send did nothing.", "The server declined, late: that send did nothing."),
  rejected_retryable: answer("The server declined for now: that send did nothing."),
  doubt,
  lease_over: told("other", "indoubt", "The process that made the call stopped before it recorded an outcome."),
  question_over: told("deadline", "indoubt", "No answer to the server's question came in time."),
  store_loss: reasoned("One more send counts as made, to be on the safe side:"),
  store_loss_queued: reasoned("One more send counts as made, to be on the safe side:"),
  give_up: reasoned("Closed:"),
  withdraw: reasoned("Closed:"),
  permit_over: reasoned("Back in doubt:"),
  suspend: reasoned("Back in doubt:"),
  present: told("observation", "destination", "The destination shows the effect."),
  partial: told("observation", "destination", "The destination shows a part of it."),
  absent: told("observation", "destination", "The destination does not show it, and that counts."),
  probe_fail: unclear,
  escalate: reasoned("A person has to decide:"),
  operator_applied: verdict("Verdict: applied."),
  operator_absent: verdict("Verdict: not applied."),
  operator_resend: verdict("Verdict: send once more."),
  operator_abandon: verdict("Verdict: closed without knowing."),
  correct: verdict("Corrected from {from} to {to}."),
  reopen: reasoned("The destination contradicts the record:", "observation", "destination"),
  watch_over: watched,
};

/** What time will bring by itself. */
function ahead({ state, quiesceAt, lookAt, permit }: OperationRecord, now: Instant, canLook: boolean): TimelineEntry[] {
  const at = (moment: Instant | undefined, kind: TimelineKind, words: string): TimelineEntry[] => {
    if (moment === undefined) return [];
    return [{ at: moment, kind, by: "indoubt", words, ...(moment > now && { planned: true as const }) }];
  };
  const looks = state === "uncertain" && canLook && (lookAt ?? 0) > now;
  return [
    ...at(quiesceAt, "quiescence", "From here on a lost write can no longer land."),
    ...(looks ? at(lookAt, "observation", "The destination is asked.") : []),
    ...(state === "ready" ? at(permit?.until, "other", "The permission to send lapses.") : []),
  ];
}
