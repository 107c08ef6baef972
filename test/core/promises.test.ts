/** The invariants as stories of one operation, and as a walk through everything that may happen to it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evolve } from "../../src/core/lifecycle.ts";
import type { LifecycleEvent } from "../../src/core/lifecycle-events.ts";
import { placementOf } from "../../src/core/placement.ts";
import type { OperationRecord } from "../../src/core/record.ts";
import { isDoubt, isSettled, SETTLED_STATES } from "../../src/core/terms.ts";
import { EXAMPLES } from "./support/examples.ts";
import {
  at,
  DAY,
  deepFreeze,
  event,
  given,
  HOUR,
  limits,
  MINUTE,
  SECOND,
  type Step,
  saved,
  T0,
  terms,
  token,
  when,
} from "./support/machine.ts";

const first = at(0, event.issue());
const doubt = at(SECOND, event.doubt(1));

describe("I1: one leased attempt at most", () => {
  it("a second attempt cannot start while the first one is in flight", () => {
    const record = given(first);
    expect(when(record, at(SECOND, event.start(2))).refused).toBe("start does not apply in state in_flight");
    expect(when(record, at(SECOND, event.resend(2))).refused).toBe("resend does not apply in state in_flight");
  });

  it("an older worker loses: only the newest attempt's own token moves it", () => {
    const record = given(first, doubt, at(2 * SECOND, event.resend(2)));
    for (const what of [event.renew(1), event.unsent(1), event.rejected(1), event.doubt(1), event.leg(1)]) {
      expect(when(record, at(3 * SECOND, what)).refused).toContain("my_attempt");
    }
    const forged = { type: "renew", attempt: 2, token: token(1) } as const;
    expect(when(record, at(3 * SECOND, forged)).refused).toBe("renew: my_attempt");
  });

  it("a lease that has ended cannot be renewed, one that runs cannot be swept, and its end is a doubt (T9-03, D4-02)", () => {
    expect(when(given(first), at(30 * SECOND, event.renew(1))).refused).toBe("renew: lease_running");
    expect(when(given(first), at(30 * SECOND - 1, event.leaseOver)).refused).toBe("lease_over: lease_over");
    expect(when(given(first), at(30 * SECOND, event.leaseOver)).record?.state).toBe("uncertain");
  });
});

describe("I2: after an attempt of unknown effect nothing is sent without a basis (C02, C03, S11, S12)", () => {
  const record = given(first, doubt);

  it("a time-out is uncertain, and time alone never makes it anything else", () => {
    expect(record.state).toBe("uncertain");
    for (const what of [event.start(2), event.giveUp, event.permitOver, event.leaseOver, event.withdraw]) {
      expect(when(record, at(30 * DAY, what)).record).toBeUndefined();
    }
  });

  it.each([
    ["another contract than the one it was sent under", { fingerprint: "another" }, 2 * SECOND],
    ["a resend that could land after the window (D5-03)", { window: HOUR, margin: MINUTE }, HOUR - MINUTE],
    ["a serial destination before quiescence", { serial: true }, 60 * SECOND],
  ])("a contract does not help: %s", (_why, over, after) => {
    expect(when(record, at(after, event.resend(2, over))).refused).toBe("resend: contract_open");
  });

  it("a serial destination may get the resend after quiescence", () => {
    expect(when(record, at(61 * SECOND, event.resend(2, { serial: true }))).row).toBe("resend");
  });

  it("every automatic basis lapses `validFor` after the issue: an old intent is not carried out late", () => {
    expect(when(record, at(15 * MINUTE, event.resend(2))).refused).toBe("resend: basis_fresh");
  });

  it("the window counts from the issue of the intent, also when its record was born later", () => {
    const reborn = when(undefined, at(0, { ...event.adopt(), issuedAt: T0 - HOUR } as LifecycleEvent)).record;
    expect(when(reborn, at(2 * MINUTE, event.resend(1, { window: HOUR }))).refused).toBe("resend: contract_open");
  });

  it("attempts are limited", () => {
    const once = given(at(0, event.issue({ maxAttempts: 1 })), doubt);
    expect(when(once, at(2 * SECOND, event.resend(2))).refused).toBe("resend: attempts_left");
    expect(when(once, at(2 * MINUTE, event.operatorResend())).refused).toBe(
      "operator_resend: attempts_left_or_override",
    );
    const ordered = when(once, at(2 * MINUTE, event.operatorResend(true))).record;
    expect(when(ordered, at(3 * MINUTE, event.start(2))).row).toBe("start");
  });

  it("a permit is spent once, in its time", () => {
    const ready = given(at(0, event.submit()));
    const sent = when(ready, at(0, event.start(1))).record;
    expect(sent?.permit).toBeUndefined();
    expect(when(sent, at(0, event.start(2))).record).toBeUndefined();
    expect(when(ready, at(15 * MINUTE, event.start(1))).refused).toBe("start: permit_valid");
    const later = given(first, at(SECOND, event.rejected(1, { retryable: true, retryAfter: MINUTE })));
    expect(when(later, at(30 * SECOND, event.start(2))).refused).toBe("start: permit_valid");
    expect(when(later, at(61 * SECOND, event.start(2))).row).toBe("start");
  });

  it("an operator's order that nobody carried out leads back into doubt, never to `not_applied`", () => {
    const ordered = given(first, doubt, at(2 * MINUTE, event.operatorResend()));
    expect(when(ordered, at(HOUR, event.giveUp)).refused).toBe("give_up: nothing_open");
    expect(when(ordered, at(HOUR, event.permitOver)).record?.state).toBe("uncertain");
  });

  it("so does an observed absence that nobody used in time", () => {
    const seen = given(
      at(0, event.issue({ absentReads: 1, resendWhenAbsent: true })),
      doubt,
      at(3 * MINUTE, event.absent(T0 + 3 * MINUTE)),
    );
    expect(when(seen, at(HOUR, event.giveUp)).refused).toBe("give_up: permit_of_clean_slate");
    expect(when(seen, at(HOUR, event.permitOver)).record?.state).toBe("uncertain");
  });
});

describe("absence is believed only after quiescence and staleness (S16, V1-03)", () => {
  const record = given(first, doubt);
  const quiet = 61 * SECOND + MINUTE;

  it("a read that began too early is no observation", () => {
    expect(when(record, at(HOUR, event.absent(T0 + quiet - 1))).refused).toBe("absent: absence_counts");
    expect(when(record, at(HOUR, event.absent(T0 + quiet))).record?.absent).toBe(1);
  });

  it("the same look does not count twice", () => {
    const once = given(first, doubt, at(quiet, event.absent(T0 + quiet)));
    expect(when(once, at(HOUR, event.absent(T0 + quiet))).refused).toBe("absent: absence_counts");
    expect(when(once, at(HOUR, event.absent(T0 + quiet + MINUTE))).record?.state).toBe("not_applied");
  });

  it("an unclear look in between starts the count anew", () => {
    const unsure = given(first, doubt, at(quiet, event.absent(T0 + quiet)), at(quiet + 1, event.probeFail()));
    expect(when(unsure, at(HOUR, event.absent(T0 + HOUR))).record).toMatchObject({ state: "uncertain", absent: 1 });
  });

  it("an absence that cannot count yet uses up no probe", () => {
    const early = { type: "probe_fail", reason: "probe_unclear", retryIn: SECOND, early: true } as const;
    expect(when(record, at(2 * SECOND, early)).record).not.toHaveProperty("probes");
    expect(when(record, at(2 * SECOND, event.probeFail())).record?.probes).toBe(1);
  });

  it("without a declared settle window no absence is believed at all", () => {
    const undeclared = given(
      at(0, { ...event.issue(), limits: limits({ settleDeclared: false }) } as LifecycleEvent),
      doubt,
    );
    expect(when(undeclared, at(DAY, event.absent(T0 + DAY))).refused).toBe("absent: absence_counts");
  });

  describe("where nobody declared one, an answer to every open attempt takes its place: nothing is under way any more", () => {
    const undeclared = at(0, event.issue({ settleDeclared: false }));
    const seen = (...steps: readonly Step[]) => when(given(undeclared, ...steps), at(DAY, event.absent(T0 + DAY)));

    it.each<[string, readonly Step[]]>([
      ["an error answer that a hook looks into", [at(SECOND, event.answeredError(1, false))]],
      ["a result that proves nothing", [at(SECOND, event.doubt(1, true))]],
      [
        "both attempts answered",
        [at(SECOND, event.doubt(1, true)), at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.doubt(2, true))],
      ],
      ["a late error answer", [doubt, at(MINUTE, event.answeredError(1, false))]],
    ])("%s: the absence counts", (_what, steps) => {
      expect(seen(...steps).record?.absent).toBe(1);
    });

    it.each<[string, readonly Step[]]>([
      ["silence", [doubt]],
      [
        "an earlier attempt without an answer",
        [doubt, at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.doubt(2, true))],
      ],
      [
        "the newest without an answer",
        [at(SECOND, event.doubt(1, true)), at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.doubt(2))],
      ],
      [
        "an owner that went away",
        [at(SECOND, event.doubt(1, true)), at(2 * SECOND, event.resend(2)), at(MINUTE, event.leaseOver)],
      ],
    ])("%s: it does not", (_what, steps) => {
      expect(seen(...steps).refused).toBe("absent: absence_counts");
    });
  });

  it("nothing escalates before quiescence, and an operator needs an override to decide before it", () => {
    expect(when(record, at(60 * SECOND, event.escalate())).refused).toBe("escalate: quiesced");
    expect(when(record, at(60 * SECOND, event.operatorAbsent())).refused).toContain("quiesced_or_override");
    expect(when(record, at(60 * SECOND, event.operatorResend())).refused).toContain("quiesced_or_override");
  });

  it("a presence settles it at any time", () => {
    expect(when(record, at(2 * SECOND, event.present())).record?.state).toBe("applied");
  });
});

describe("I6: a rejection speaks for its own attempt only (R1-07)", () => {
  it("the first attempt stays in doubt when the second one is rejected", () => {
    const record = given(first, doubt, at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.rejected(2)));
    expect(record).toMatchObject({ state: "uncertain", open: 1, quiesceAt: T0 + 61 * SECOND });
  });

  it("a tool error on a resend does not settle the first attempt either", () => {
    const record = given(first, doubt, at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.answeredError(2)));
    expect(record).toMatchObject({ state: "uncertain", open: 2 });
  });

  it("so does the attempt that an operator ordered: its rejection leads back to doubt", () => {
    const ordered = given(first, doubt, at(2 * MINUTE, event.operatorResend()), at(3 * MINUTE, event.start(2)));
    expect(ordered.open).toBe(2);
    expect(when(ordered, at(4 * MINUTE, event.rejected(2))).record).toMatchObject({ state: "uncertain", open: 1 });
    expect(when(ordered, at(4 * MINUTE, event.unsent(2))).record).toMatchObject({ state: "uncertain", open: 1 });
  });

  it.each([
    ["a rejection", event.rejected(2), event.rejected(2)],
    ["a rejection that allows another send", event.rejected(2, { retryable: true }), event.rejected(2)],
    ["a proof that nothing was handed over", event.unsent(2), event.unsent(2)],
    ["a tool error after a rejection", event.rejected(2), event.answeredError(2)],
  ])("%s that a journal brings home twice counts once (I8)", (_what, word, again) => {
    const told = given(first, doubt, at(2 * SECOND, event.resend(2)), at(3 * SECOND, word));
    expect(told).toMatchObject({ state: "uncertain", open: 1 });
    expect(when(told, at(4 * SECOND, again)).refused).toContain("not_ruled_out");
    const third = given(
      first,
      doubt,
      at(2 * SECOND, event.resend(2)),
      at(3 * SECOND, word),
      at(4 * SECOND, event.resend(3)),
    );
    expect(when(third, at(5 * SECOND, event.rejected(3))).record).toMatchObject({ state: "uncertain", open: 1 });
  });

  it("a stored error that the destination repeats is the answer of every attempt under the key", () => {
    const resent = given(first, doubt, at(2 * SECOND, event.resend(2)));
    expect(when(resent, at(3 * SECOND, event.answeredError(2, true))).record?.state).toBe("uncertain");
    expect(when(resent, at(3 * SECOND, event.answeredError(2, true, { forAll: true }))).record).toMatchObject({
      state: "failed",
      open: 0,
    });
  });

  it("unless the contract says that a rejection of the key speaks for the operation", () => {
    const resent = given(first, doubt, at(2 * SECOND, event.resend(2)));
    expect(when(resent, at(3 * SECOND, event.rejected(2, { authoritative: true }))).record?.state).toBe("rejected");
  });
});

describe("I12: a late answer is evidence (W1-06)", () => {
  it("a late success settles the doubt, also in the queue, also for an earlier attempt", () => {
    const twice = given(first, doubt, at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.doubt(2)));
    expect(when(twice, at(DAY, event.ok(1))).record).toMatchObject({ state: "succeeded", open: 0 });
    const waiting = given(first, doubt, at(2 * MINUTE, event.escalate()));
    expect(when(waiting, at(DAY, event.ok(1))).record?.state).toBe("succeeded");
  });

  it("a success that contradicts a settled outcome raises `conflict` and changes nothing else", () => {
    const closed = given(first, doubt, at(2 * MINUTE, event.operatorAbsent()));
    const told = when(closed, at(DAY, event.ok(1))).record;
    expect(told).toEqual({ ...closed, conflict: true, reason: "success_after_no_effect" });
  });

  it("a late retryable rejection counts in the queue too", () => {
    const waiting = given(first, doubt, at(2 * MINUTE, event.escalate()));
    expect(when(waiting, at(3 * MINUTE, event.rejected(1, { retryable: true }))).record).toMatchObject({
      state: "ready",
      permit: { basis: "rejected" },
    });
  });

  it("a proof that nothing was handed over counts also after the lease has ended, in the queue too", () => {
    const swept = given(first, at(30 * SECOND, event.leaseOver));
    expect(when(swept, at(MINUTE, event.unsent(1))).record).toMatchObject({
      state: "not_applied",
      reason: "never_sent",
    });
    const waiting = given(first, doubt, at(2 * MINUTE, event.escalate()));
    expect(when(waiting, at(DAY, event.unsent(1))).record?.state).toBe("not_applied");
    const twice = given(first, doubt, at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.doubt(2)));
    expect(when(twice, at(MINUTE, event.unsent(2))).record).toMatchObject({ state: "uncertain", open: 1 });
  });

  it("a delivered record that claims no effect keeps what a contradiction needs", () => {
    const closed = given(first, doubt, at(2 * MINUTE, event.operatorAbsent()), at(3 * MINUTE, event.deliver));
    expect(when(closed, at(DAY, event.ok(1))).record?.conflict).toBe(true);
  });
});

describe("a record that somebody still needs keeps its details", () => {
  const resent = [first, doubt, at(2 * SECOND, event.resend(2)), at(3 * SECOND, event.ok(2))];

  it("the watch for a second effect outlives the delivery, with the limits that it was born with", () => {
    const record = given(...resent, at(4 * SECOND, event.deliver));
    expect(record).toMatchObject({ delivered: true, limits: { settleDeclared: true } });
    expect(placementOf(record, T0 + 4 * SECOND)).toMatchObject({ due: record.lookAt, holds: [] });
    const over = when(record, at(HOUR, event.watchOver)).record as OperationRecord;
    expect(over).toMatchObject({ delivered: true, tokens: [] });
    expect(placementOf(over, T0 + HOUR).expireIn).toBeDefined();
  });

  it("a conflict or a partial effect keeps its hold until a person closes it", () => {
    const torn = given(first, doubt, at(2 * MINUTE, event.partial()), at(3 * MINUTE, event.deliver));
    expect(when(torn, at(30 * DAY, event.holdOver)).refused).toBe("hold_over: no_person_needed");
    expect(placementOf(torn, T0 + HOUR)).toMatchObject({ attention: true, holds: [`f${torn.fingerprint}`] });
    const accepted = when(torn, at(HOUR, { type: "correct", to: "partial" })).record as OperationRecord;
    expect(placementOf(accepted, T0 + HOUR)).toMatchObject({ attention: false, holds: [] });
    expect(placementOf(accepted, T0 + HOUR).expireIn).toBeDefined();
  });
});

describe("whatever happens, in whatever order", () => {
  const events = EXAMPLES.map(({ when: step }) => step.event).filter(
    ({ type }) => !["issue", "submit", "adopt"].includes(type),
  );
  const births = [event.issue(), event.issue({ maxAttempts: 1 }), event.submit(), event.adopt()];
  const step = fc.record({
    after: fc.constantFrom(0, 1, SECOND, 30 * SECOND, 61 * SECOND, 2 * MINUTE, 16 * MINUTE, DAY),
    what: fc.oneof(
      fc.constantFrom(...events),
      fc
        .constantFrom(1, 2, 3)
        .chain((n) =>
          fc.constantFrom<LifecycleEvent>(
            event.start(n),
            event.resend(n, terms({ window: DAY })),
            event.ok(n),
            event.doubt(n),
            event.unsent(n),
            event.rejected(n),
            event.rejected(n, { retryable: true }),
            event.answeredError(n),
          ),
        ),
      fc.constant("absent now" as const),
    ),
  });
  const sweeper: LifecycleEvent[] = [
    event.leaseOver,
    event.giveUp,
    event.permitOver,
    event.watchOver,
    event.holdOver,
    event.escalate(),
  ];

  const walk = (
    check: (before: OperationRecord | undefined, what: LifecycleEvent, next: OperationRecord, now: number) => void,
  ) =>
    fc.assert(
      fc.property(fc.constantFrom(...births), fc.array(step, { maxLength: 14 }), (born, steps) => {
        let now = T0;
        let record: OperationRecord | undefined;
        const happen = (what: LifecycleEvent) => {
          const moved = evolve(record && deepFreeze(record), what, now);
          if (moved.kind === "refused") return;
          const next = saved(moved.record, now);
          check(record, what, next, now);
          record = next;
        };
        happen(born);
        for (const { after, what } of steps) {
          now += after;
          happen(what === "absent now" ? event.absent(now) : what);
        }
      }),
      { numRuns: 2_000 },
    );

  it("I1 and I2: a send takes one permit or the contract, is counted, and has the only lease", () => {
    walk((before, what, next) => {
      expect(next.leaseUntil !== undefined).toBe(next.state === "in_flight");
      if (next.state !== "in_flight" || before?.state === "in_flight") return;
      expect(["issue", "start", "resend"]).toContain(what.type);
      expect(next.attempts).toBe((before?.attempts ?? 0) + 1);
      expect(next.tokens).toHaveLength(next.attempts);
      if (what.type === "start") expect(before?.permit).toBeDefined();
      expect(next.permit).toBeUndefined();
    });
  });

  it("I3: a settled outcome changes only by an operator's correction", () => {
    walk((before, what, next) => {
      if (before && isSettled(before.state) && what.type !== "correct") expect(next.state).toBe(before.state);
      if (before?.conflict) expect(next.conflict === true || what.type === "correct").toBe(true);
    });
  });

  it("I4: doubt never expires, nor does a conflict or an outcome that can still be recalled", () => {
    walk((_before, _what, next, now) => {
      const { expireIn } = placementOf(next, now);
      if (expireIn === undefined) return;
      expect(SETTLED_STATES).toContain(next.state);
      expect(next.conflict).not.toBe(true);
      expect(next.delivered === true || next.recallOver === true).toBe(true);
    });
  });

  it("I5: what is open or in doubt is due or in the queue, and the sweeper can always move what is due", () => {
    walk((_before, _what, next, now) => {
      const { due, attention, expireIn } = placementOf(next, now);
      expect(due !== null || attention || expireIn !== undefined, JSON.stringify(next)).toBe(true);
      if (due === null || typeof due !== "number") return;
      const later = Math.max(due, now) + DAY;
      const token = next.tokens.at(-1) ?? "";
      const asking: LifecycleEvent = { type: "task_working", attempt: next.attempts, token, pollIn: SECOND };
      expect(
        [...sweeper, asking].some((what) => evolve(next, what, later).kind === "moved"),
        JSON.stringify(next),
      ).toBe(true);
    });
  });

  it("I6 and I9: no doubt is closed by time, silence or the sweeper", () => {
    walk((before, what, next) => {
      if (!before || !isDoubt(before.state) || !isSettled(next.state)) return;
      expect([
        "ok",
        "unsent",
        "answered_error",
        "rejected",
        "present",
        "partial",
        "absent",
        "operator_applied",
        "operator_absent",
        "operator_abandon",
      ]).toContain(what.type);
    });
  });

  it("a state carries only its own data", () => {
    walk((_before, _what, next) => {
      if (next.state !== "ready") expect(next.permit).toBeUndefined();
      if (next.state !== "in_flight") expect([next.spent, next.waiting]).toEqual([undefined, undefined]);
      if (isSettled(next.state))
        expect([next.quiesceAt, next.absent, next.absentAt, next.answered, next.ruledOut]).toEqual(
          Array(5).fill(undefined),
        );
      else expect([next.settledAt, next.delivered]).toEqual([undefined, undefined]);
    });
  });
});
