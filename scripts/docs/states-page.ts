/** docs/states.md: what may become of an operation. */
import { GUARDS, type GuardId } from "../../src/core/lifecycle-guards.ts";
import { OPEN_STATES, SETTLED_STATES, type State } from "../../src/core/terms.ts";
import { TRANSITIONS, type Transition } from "../../src/core/transitions.ts";
import { code, codes, page, table } from "./markdown.ts";

const STATES: Readonly<Record<State, string>> = {
  ready: "The intent is on record with a permit for one send; nothing is in flight.",
  in_flight: "One attempt is under way, driven by the one who holds the lease.",
  uncertain: "An attempt may have had an effect. Automation still looks, or may send again on a basis.",
  unresolved: "Automation gave up. A person decides; until then nothing is sent and nothing expires.",
  succeeded: "The server answered with a result.",
  failed:
    "The server answered with an error, and nothing can find out more. **Whether anything was written is unclaimed.**",
  rejected: "The destination declined before any work. Nothing was done.",
  applied: "The effect was seen at the destination, or an operator found it there.",
  not_applied: "Observed absent after quiescence, never sent at all, or an operator's verdict.",
  partial: "Some items took effect. A person closes it; the repair is a new operation.",
  abandoned: "A person closed it without knowing.",
};

const FLAGS: readonly (readonly [flag: string, meaning: string])[] = [
  [
    "conflict",
    "Two pieces of evidence that cannot both hold: an assumption is broken. In the queue until a person corrects the outcome.",
  ],
  ["delivered", "The caller has the outcome. The hold on repeats ends."],
  ["recallOver", "Nobody came for the outcome within `recallFor`. The hold on repeats ends."],
  ["attributed", "False: the end state holds at the destination, but nobody knows whether this operation caused it."],
  ["accepted", "A person accepted a partial effect as final."],
  [
    "answered",
    "In doubt: every open attempt was answered by the destination, with an answer that proves nothing. No write of theirs is under way any more.",
  ],
  ["ruledOut", "In doubt: the newest attempt did nothing. The doubt is about the ones before it."],
  ["waiting", "The running attempt waits for a person's input."],
  [
    "asked",
    "The server's last answer was a question; nothing is in flight until its answer comes, or `maxDeadline` is over.",
  ],
  ["legs", "Questions that were answered or came to nothing. What answers one of them is not sent again."],
  ["task", "The destination works on it as a task under this handle, and is asked how it ends."],
  [
    "taskOver",
    "In doubt: that task was cancelled, is not known any more, or ended without proof. It is not asked for again.",
  ],
];

const GUARD_SENTENCES: Readonly<Record<GuardId, string>> = {
  permit_valid: "There is a permit on a known basis, its time has come and has not passed.",
  permit_started: "The time of the permit has come (Retry-After).",
  attempts_left: "It was sent fewer times than `maxAttempts`.",
  attempts_left_or_override:
    "It was sent fewer times than `maxAttempts`, or the operator overrides that on the record.",
  contract_open:
    "The contract is the one that the operation was sent under, its window with margin is open, counted from the issue of the intent, and a `serial` destination has quiesced and runs no task of it.",
  basis_fresh: "The intent was issued less than `validFor` ago.",
  my_attempt: "Attempt number and token are those of the newest attempt: an older worker loses.",
  not_ruled_out: "The newest attempt has not said before that it did nothing: such a word counts once.",
  some_attempt: "The token is that of one of the attempts.",
  second_success: "Another attempt's success settled it, and no contract says that they are one effect.",
  question_open: "The call brings the answer to the very question that the operation waits with.",
  leg_sent: "The last send brought the answer to a question.",
  something_asked: "The server's last answer was a question that nobody has answered.",
  nothing_asked: "The server has not asked, or has its answer.",
  legs_kept: "It is closed, and still says itself which questions were answered.",
  lease_running: "The lease has not ended, by the store's clock.",
  lease_over: "The lease has ended, by the store's clock. While a question waits it is as long as `maxDeadline`.",
  retryable: "The destination rejects before any work, by the operator's declaration.",
  not_retryable: "No declaration says that it may be sent again.",
  nothing_open: "No attempt is of unknown effect.",
  permit_of_clean_slate:
    "The permit is the first one, or came back unsent or rejected: no order and no observation is behind it.",
  permit_used_up: "The permit has lapsed, or no attempt is left to spend it on.",
  permit_lapsed: "The permit has lapsed.",
  permit_by_evidence: "The permit rests on a contract or on an observed absence.",
  absence_counts:
    "A settle window is declared or every open attempt was answered; no task of it may still run; the read began after quiescence and staleness, and later than the one before it by staleness.",
  nothing_lost: "No loss of the store took newer versions of it; after one only a look or a person decides.",
  loss_not_counted: "This loss of the store has not been allowed for yet.",
  task_open: "The destination works on it as a task, and has not said how that ended.",
  task_too_long: "Since the issue of the intent more than `taskFor` has passed.",
  quiesced: "No lost write can land any more: the settle window of all attempts is over.",
  quiesced_or_override: "No lost write can land any more, or the operator overrides that on the record.",
  watching: "A second effect is being watched for.",
  not_delivered: "The outcome was not delivered before.",
  no_person_needed: "There is no conflict, and no partial effect that nobody accepted.",
  hold_over: "Nobody came within `recallFor`; or it was delivered and its `repeatWindow` is over.",
};

const ends = ({ from, to }: Transition): [string, string][] =>
  from.flatMap((start) => to.flatMap((end): [string, string][] => (end === "same" ? [] : [[start, end]])));

/** One arrow per pair of states, with the rows that take it. Corrections may lead from any settled state to any other. */
function diagram(): string {
  const arrows = new Map<string, string[]>();
  for (const row of TRANSITIONS.filter(({ id }) => id !== "correct")) {
    for (const [from, to] of ends(row)) {
      // What waits for a person is not taken back: such rows leave it where it is.
      if (from === to || (from === "unresolved" && to === "uncertain")) continue;
      const arrow = `${from === "none" ? "[*]" : from} --> ${to}`;
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), row.id]);
    }
  }
  const lines = [...arrows].map(([arrow, rows]) => `  ${arrow}: ${rows.join(", ")}`);
  const settled = SETTLED_STATES.map((state) => `  ${state} --> [*]`);
  return ["```mermaid", "stateDiagram-v2", ...lines, ...settled, "```"].join("\n");
}

export function statesPage(): string {
  return page(
    "# States",
    "One operation is one effect that a caller wants. It is always in exactly one of these states, on record before anything is sent. The table below is the one that the code runs on.",
    diagram(),
    "## Open",
    table(
      ["state", "meaning"],
      OPEN_STATES.map((state) => [code(state), STATES[state]]),
    ),
    "Each of them stands in an index of the store and has an exit that the sweeper or the queue drives. `uncertain` and `unresolved` are the doubt: they never expire.",
    "## Settled",
    table(
      ["state", "meaning"],
      SETTLED_STATES.map((state) => [code(state), STATES[state]]),
    ),
    "A settled outcome changes only by an operator's correction, and the old one stays in the history.",
    "## Flags",
    table(
      ["flag", "meaning"],
      FLAGS.map(([flag, meaning]) => [code(flag), meaning]),
    ),
    "## Transitions",
    "For one state and event the first row whose guards hold is taken. Everything else changes nothing.",
    table(
      ["row", "from", "to", "by", "guards", "why"],
      TRANSITIONS.map(({ id, from, to, by, guards, why }) => [
        code(id),
        from.join(", "),
        to.join(", "),
        by.join(", "),
        codes(guards),
        why,
      ]),
    ),
    "## Guards",
    table(
      ["guard", "holds when"],
      (Object.keys(GUARDS) as GuardId[]).map((guard) => [code(guard), GUARD_SENTENCES[guard]]),
    ),
  );
}
