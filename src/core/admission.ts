/**
 * Who may send, and on what basis. A table over what the store answered to `begin`: total over relation and state,
 * first matching row counts. docs/decisions.md is printed from it.
 */
import type { OperationRecord } from "./record.ts";
import { type Instant, OPEN_STATES, SETTLED_STATES, type State } from "./terms.ts";

/** `same`: the record of this very operation. `other`: another operation that owns a hold entry of this call. */
export type Relation = "same" | "other";

export type Step =
  /** Spend the permit on record and send. */
  | "send"
  /** Look at the destination, then resend if a contract allows it; else answer with what is known. */
  | "recover"
  /** It answers the question that the operation waits with: send it, in the same attempt. */
  | "go_on"
  /** Wait for the other's outcome and share it. */
  | "join"
  /** Answer with what is known; nothing is sent. */
  | "hold"
  /** Answer from the record, visibly marked. */
  | "recall"
  /** The other never sent anything: take it out and begin again. */
  | "withdraw";

export interface AdmissionFacts {
  readonly now: Instant;
  /** The full arguments are equal. */
  readonly sameDigest: boolean;
  /** A hook, probe or contract is configured. */
  readonly canRecover: boolean;
  /** Digest of the question that the call answers, if the operation waits with that one or waited with it. */
  readonly question: string;
}

/** What waited for another operation's outcome. */
export interface Waiter {
  readonly relation: Relation;
  /** Under an operation id of its own. */
  readonly ownId: boolean;
  /** It answers a question of the server: a round has no wish of its own. */
  readonly isRound: boolean;
}

/** An operation id of its own is another wanted effect: it waits for the other's outcome, and does not share it. */
export const sharesOutcome = ({ relation, ownId, isRound }: Waiter): boolean =>
  relation === "same" || !ownId || isRound;

export interface AdmissionRow {
  readonly id: string;
  readonly relation: Relation;
  readonly states: readonly State[];
  readonly when: string;
  readonly step: Step;
  holds(record: OperationRecord, facts: AdmissionFacts): boolean;
}

const always = () => true;
const permitRuns = (record: OperationRecord, { now }: AdmissionFacts) =>
  record.attempts < record.limits.maxAttempts && now < (record.permit?.until ?? 0) && now >= (record.permit?.from ?? 0);
const permitWaits = (record: OperationRecord, { now }: AdmissionFacts) => now < (record.permit?.from ?? 0);
const DOUBT: readonly State[] = ["uncertain", "unresolved"];
const answersQuestion = ({ asked }: OperationRecord, { question, sameDigest }: AdmissionFacts) =>
  sameDigest && asked === question;
/** Only the last leg is in doubt: the answer to an earlier question has done what it does. */
const answersEarlier = ({ legs = [] }: OperationRecord, { question }: AdmissionFacts) =>
  legs.includes(question) && legs.at(-1) !== question;

export const ADMISSION: readonly AdmissionRow[] = [
  {
    id: "own_permit",
    relation: "same",
    states: ["ready"],
    when: "its permit is valid and attempts are left",
    step: "send",
    holds: permitRuns,
  },
  {
    id: "own_permit_waits",
    relation: "same",
    states: ["ready"],
    when: "its permit starts later (Retry-After)",
    step: "join",
    holds: permitWaits,
  },
  {
    id: "own_permit_lapsed",
    relation: "same",
    states: ["ready"],
    when: "its permit has lapsed or its attempts are used up",
    step: "hold",
    holds: always,
  },
  {
    id: "own_question",
    relation: "same",
    states: ["in_flight"],
    when: "the server asked, and this call brings the answer",
    step: "go_on",
    holds: answersQuestion,
  },
  {
    id: "own_in_flight",
    relation: "same",
    states: ["in_flight"],
    when: "an attempt is running",
    step: "join",
    holds: always,
  },
  {
    id: "own_earlier_leg",
    relation: "same",
    states: ["uncertain"],
    when: "it answers a question that was answered before the last one",
    step: "hold",
    holds: answersEarlier,
  },
  {
    id: "own_recoverable",
    relation: "same",
    states: ["uncertain"],
    when: "a hook or contract can find out more",
    step: "recover",
    holds: (_r, f) => f.canRecover,
  },
  { id: "own_doubt", relation: "same", states: DOUBT, when: "in doubt", step: "hold", holds: always },
  { id: "own_settled", relation: "same", states: SETTLED_STATES, when: "settled", step: "recall", holds: always },
  {
    id: "other_waits",
    relation: "other",
    states: ["ready"],
    when: "equal arguments, its permit starts later",
    step: "join",
    holds: (r, f) => f.sameDigest && permitWaits(r, f),
  },
  {
    id: "other_open_doubt",
    relation: "other",
    states: ["ready"],
    when: "an earlier attempt of it is open",
    step: "hold",
    holds: (r) => r.open > 0,
  },
  {
    id: "other_never_sent",
    relation: "other",
    states: ["ready"],
    when: "it has nothing in flight and nobody waits for its permit",
    step: "withdraw",
    holds: (r, f) => !permitWaits(r, f),
  },
  {
    id: "other_question",
    relation: "other",
    states: ["in_flight"],
    when: "the server asked, and this call brings the answer",
    step: "go_on",
    holds: answersQuestion,
  },
  {
    id: "other_in_flight",
    relation: "other",
    states: ["in_flight"],
    when: "equal arguments, an attempt is running",
    step: "join",
    holds: (_r, f) => f.sameDigest,
  },
  {
    id: "other_earlier_leg",
    relation: "other",
    states: ["uncertain"],
    when: "it answers a question that was answered before the last one",
    step: "hold",
    holds: answersEarlier,
  },
  {
    id: "other_recoverable",
    relation: "other",
    states: ["uncertain"],
    when: "equal arguments, a hook or contract can find out more",
    step: "recover",
    holds: (_r, f) => f.sameDigest && f.canRecover,
  },
  {
    id: "other_leg_sent",
    relation: "other",
    states: SETTLED_STATES,
    when: "it answers a question that was answered before",
    step: "recall",
    holds: (r, f) => f.sameDigest && r.legs?.includes(f.question) === true,
  },
  {
    id: "other_recall",
    relation: "other",
    states: ["succeeded", "failed", "applied", "abandoned"],
    when: "equal arguments, outcome not yet received or inside the repeat window",
    step: "recall",
    holds: (_r, f) => f.sameDigest,
  },
  {
    id: "other_no_effect",
    relation: "other",
    states: ["rejected", "not_applied"],
    when: "settled without effect",
    step: "withdraw",
    holds: (r) => !r.conflict,
  },
  {
    id: "other_held",
    relation: "other",
    states: [...OPEN_STATES, ...SETTLED_STATES],
    when: "anything else: different arguments, in doubt, partial, conflict",
    step: "hold",
    holds: always,
  },
];

/** The step for a call that met this record. Total: the last row of each relation holds always. */
export function admit(relation: Relation, record: OperationRecord, facts: AdmissionFacts): AdmissionRow {
  const row = ADMISSION.find(
    (candidate) =>
      candidate.relation === relation && candidate.states.includes(record.state) && candidate.holds(record, facts),
  );
  if (!row) throw new Error(`admission table has no row for ${relation} ${record.state}`);
  return row;
}
