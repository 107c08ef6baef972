import { describe, expect, it } from "vitest";
import { ADMISSION, type AdmissionFacts, admit, type Relation, type Step } from "../../src/core/admission.ts";
import { evolve } from "../../src/core/lifecycle.ts";
import type { OperationRecord } from "../../src/core/record.ts";
import { OPEN_STATES, SETTLED_STATES } from "../../src/core/terms.ts";
import { at, event, given, MINUTE, SECOND, T0 } from "./support/machine.ts";

const first = at(0, event.issue());
const doubt = at(SECOND, event.doubt(1));
const facts = (over: Partial<AdmissionFacts> = {}): AdmissionFacts => ({
  now: T0 + 10 * SECOND,
  sameDigest: true,
  canRecover: true,
  question: "question-1",
  ...over,
});
const other = { sameDigest: false };

const ready = given(first, at(SECOND, event.unsent(1)));
const waiting = given(first, at(SECOND, event.rejected(1, { retryable: true, retryAfter: MINUTE })));
const usedUp = given(at(0, event.issue({ maxAttempts: 1 })), at(SECOND, event.unsent(1)));
const inFlight = given(first);
const asked = at(2 * SECOND, event.leg(1));
const paused = given(first, asked);
const leg = at(3 * SECOND, event.nextLeg());
const secondLeg = given(first, asked, leg);
const lapsed = given(first, asked, at(11 * MINUTE, event.leaseOver));
const wentOn = given(first, asked, leg, at(MINUTE, event.leaseOver));
const twoLegs = { ...wentOn, legs: ["question-1", "question-2"] } as const;
const undoneLegs = given(first, asked, leg, at(MINUTE, event.leaseOver), at(10 * MINUTE, event.operatorAbsent()));
const closedLegs = given(first, asked, leg, at(4 * SECOND, event.okOfLeg()), at(5 * SECOND, event.deliver));
const uncertain = given(first, doubt);
const unresolved = given(first, doubt, at(2 * MINUTE, event.escalate()));
const succeeded = given(first, at(SECOND, event.ok(1)));
const failed = given(first, at(SECOND, event.answeredError(1)));
const rejected = given(first, at(SECOND, event.rejected(1)));
const applied = given(first, doubt, at(2 * SECOND, event.present()));
const notApplied = given(first, doubt, at(2 * MINUTE, event.operatorAbsent()));
const partial = given(first, doubt, at(2 * MINUTE, event.partial()));
const abandoned = given(first, doubt, at(2 * MINUTE, event.operatorAbandon));
const conflict = { ...rejected, conflict: true } as const;

type Row = readonly [
  what: string,
  relation: Relation,
  record: OperationRecord,
  facts: Partial<AdmissionFacts>,
  step: Step,
  row: string,
];

const TABLE: readonly Row[] = [
  ["its own permit is good", "same", ready, {}, "send", "own_permit"],
  ["its own permit starts later", "same", waiting, {}, "join", "own_permit_waits"],
  ["its own permit has lapsed", "same", ready, { now: T0 + 15 * MINUTE }, "hold", "own_permit_lapsed"],
  [
    "its attempts are used up: nothing starts, so nothing is tried in a circle",
    "same",
    usedUp,
    {},
    "hold",
    "own_permit_lapsed",
  ],
  ["it is in flight", "same", inFlight, {}, "join", "own_in_flight"],
  ["it waits for the very answer that the call brings", "same", paused, {}, "go_on", "own_question"],
  ["it waits for another answer", "same", paused, { question: "question-2" }, "join", "own_in_flight"],
  ["its answer is on the way already", "same", secondLeg, {}, "join", "own_in_flight"],
  ["nobody answered in time, and the answer comes now", "same", lapsed, { canRecover: false }, "hold", "own_doubt"],
  ["the last leg is in doubt, and comes again", "same", wentOn, {}, "recover", "own_recoverable"],
  ["a later leg is in doubt, and an earlier one comes again", "same", twoLegs, {}, "hold", "own_earlier_leg"],
  ["it is in doubt, and a hook or contract can find out", "same", uncertain, {}, "recover", "own_recoverable"],
  ["it is in doubt, and nothing can find out", "same", uncertain, { canRecover: false }, "hold", "own_doubt"],
  ["it waits for a person", "same", unresolved, {}, "hold", "own_doubt"],
  ...[succeeded, failed, rejected, applied, notApplied, partial, abandoned].map(
    (record) => [`it is settled: ${record.state}`, "same", record, {}, "recall", "own_settled"] satisfies Row,
  ),
  ["another one waits for its permit to start, equal arguments", "other", waiting, {}, "join", "other_waits"],
  [
    "another one waits for its permit to start, other arguments: it is not taken out",
    "other",
    waiting,
    other,
    "hold",
    "other_held",
  ],
  [
    "another one is ready, but an earlier attempt of it is open",
    "other",
    { ...ready, open: 1 },
    {},
    "hold",
    "other_open_doubt",
  ],
  ["another one sent nothing", "other", ready, {}, "withdraw", "other_never_sent"],
  ["another one sent nothing, other arguments", "other", ready, other, "withdraw", "other_never_sent"],
  ["another one is in flight, equal arguments (T8-01)", "other", inFlight, {}, "join", "other_in_flight"],
  [
    "another one is in flight, other arguments: its outcome is not shared",
    "other",
    inFlight,
    other,
    "hold",
    "other_held",
  ],
  ["another one waits for the very answer that the call brings", "other", paused, {}, "go_on", "other_question"],
  [
    "another one waits, and the call with other arguments does not answer",
    "other",
    paused,
    other,
    "hold",
    "other_held",
  ],
  ["another one's answer is on the way already", "other", secondLeg, {}, "join", "other_in_flight"],
  ["a later leg of another one is in doubt", "other", twoLegs, {}, "hold", "other_earlier_leg"],
  ["another one is closed, and got this answer", "other", closedLegs, {}, "recall", "other_leg_sent"],
  ["another one got this answer and did not happen", "other", undoneLegs, {}, "recall", "other_leg_sent"],
  [
    "another one is in doubt, equal arguments, and can be looked up",
    "other",
    uncertain,
    {},
    "recover",
    "other_recoverable",
  ],
  ["another one is in doubt, other arguments", "other", uncertain, other, "hold", "other_held"],
  [
    "another one is in doubt, nothing can find out (T7-01)",
    "other",
    uncertain,
    { canRecover: false },
    "hold",
    "other_held",
  ],
  ["another one waits for a person", "other", unresolved, {}, "hold", "other_held"],
  ...[succeeded, failed, applied, abandoned].flatMap((record) => [
    [
      `another one is ${record.state} and nobody received it`,
      "other",
      record,
      {},
      "recall",
      "other_recall",
    ] satisfies Row,
    [`another one is ${record.state}, other arguments`, "other", record, other, "hold", "other_held"] satisfies Row,
  ]),
  ["another one was rejected", "other", rejected, {}, "withdraw", "other_no_effect"],
  ["another one did not happen", "other", notApplied, other, "withdraw", "other_no_effect"],
  ["another one was rejected and then contradicted", "other", conflict, {}, "hold", "other_held"],
  ["another one happened in part (R1-02)", "other", partial, {}, "hold", "other_held"],
];

describe("who may send, and on what basis (C03, I2)", () => {
  it.each(TABLE)("%s", (_what, relation, record, over, step, row) => {
    expect(admit(relation, record, facts(over))).toMatchObject({ step, id: row });
  });

  it("every row of the table is taken by an example", () => {
    expect(new Set(TABLE.map(([, , , , , row]) => row))).toEqual(new Set(ADMISSION.map(({ id }) => id)));
  });

  it("has an answer for every relation, state and fact", () => {
    const records = TABLE.map(([, , record]) => record);
    expect(new Set(records.map(({ state }) => state)).size).toBe(OPEN_STATES.length + SETTLED_STATES.length);
    for (const relation of ["same", "other"] as const)
      for (const record of records)
        for (const sameDigest of [true, false])
          for (const canRecover of [true, false])
            for (const now of [T0, T0 + MINUTE, T0 + 60 * MINUTE])
              expect(admit(relation, record, facts({ now, sameDigest, canRecover })).relation).toBe(relation);
  });

  it("only its own record, with a good permit, lets a call send", () => {
    expect(ADMISSION.filter(({ step }) => step === "send").map(({ id }) => id)).toEqual(["own_permit"]);
  });

  it("what it lets through, the machine lets through: no call goes round in a circle", () => {
    for (const [what, relation, record, over] of TABLE) {
      const { now, ...rest } = facts(over);
      const { step, id } = admit(relation, record, { now, ...rest });
      if (step === "send") expect(evolve(record, event.start(record.attempts + 1), now).kind, what).toBe("moved");
      if (step === "withdraw" && id !== "other_no_effect")
        expect(evolve(record, event.withdraw, now).kind, what).toBe("moved");
    }
  });

  it("the outcome of other arguments is never shared or recalled (D7-03)", () => {
    for (const [, , record] of TABLE) {
      expect(["hold", "withdraw"]).toContain(admit("other", record, facts(other)).step);
    }
  });
});
