import { describe, expect, it } from "vitest";
import { evolve } from "../../src/core/lifecycle.ts";
import { GUARDS } from "../../src/core/lifecycle-guards.ts";
import { OPEN_STATES, SETTLED_STATES, type State } from "../../src/core/terms.ts";
import { TRANSITIONS } from "../../src/core/transitions.ts";
import { EXAMPLES } from "./support/examples.ts";
import { at, DAY, deepFreeze, event, given, HOUR, MINUTE, T0, when } from "./support/machine.ts";

describe("every row of the state machine has an example that takes it", () => {
  it.each(EXAMPLES.map((example) => ({ ...example, name: `${example.row} -> ${String(example.ends.state)}` })))(
    "$name",
    (example) => {
      const before = example.given.length === 0 ? undefined : given(...example.given);
      const told = when(before, example.when);
      expect(told.row, told.refused).toBe(example.row);
      expect(told.record).toMatchObject(
        Object.fromEntries(Object.entries(example.ends).filter(([, value]) => value !== undefined)),
      );
      for (const [name, value] of Object.entries(example.ends)) {
        if (value === undefined) expect(told.record).not.toHaveProperty(name);
      }
      const row = TRANSITIONS.find(({ id }) => id === example.row);
      const to = told.record?.state === before?.state ? ["same", told.record?.state] : [told.record?.state];
      expect(row?.to.some((state) => to.includes(state as State))).toBe(true);
    },
  );

  it("and no row is without one", () => {
    expect([...new Set(EXAMPLES.map(({ row }) => row))].sort()).toEqual(TRANSITIONS.map(({ id }) => id).sort());
  });

  it("and every state that a row names as its end is reached", () => {
    const reached = new Set(
      EXAMPLES.map(({ row, given: steps, ends }) => {
        const before = steps.length === 0 ? "none" : given(...steps).state;
        return `${row} ${before === ends.state ? "same" : String(ends.state)}`;
      }),
    );
    const unreached = TRANSITIONS.filter(({ id }) => id !== "correct").flatMap(({ id, to }) =>
      to.map((state) => `${id} ${state}`).filter((name) => !reached.has(name)),
    );
    expect(unreached).toEqual([]);
  });
});

describe("the table is total and unambiguous (I5)", () => {
  const STATES: readonly (State | "none")[] = ["none", ...OPEN_STATES, ...SETTLED_STATES];
  const everyRecord = EXAMPLES.flatMap(({ given: steps, when: step }) => {
    const told = when(steps.length === 0 ? undefined : given(...steps), step).record;
    return told ? [told] : [];
  });
  const everyEvent = EXAMPLES.map(({ when: step }) => step.event);

  it("each state and event has one defined answer: a row, or a reason why not", () => {
    expect([...new Set(everyRecord.map(({ state }) => state))].sort()).toEqual(
      STATES.filter((state) => state !== "none").sort(),
    );
    for (const record of [undefined, ...everyRecord]) {
      for (const what of everyEvent) {
        const told = evolve(record, what, T0 + HOUR);
        if (told.kind === "refused") expect(told.why).not.toBe("");
        else expect(told.row.from).toContain(record?.state ?? "none");
      }
    }
  });

  it("where two rows share a state and an event, their guards exclude each other", () => {
    for (const record of everyRecord) {
      for (const what of everyEvent) {
        for (const now of [T0, T0 + MINUTE, T0 + HOUR, T0 + 3 * DAY]) {
          const open = TRANSITIONS.filter(
            (row) =>
              row.event === what.type &&
              row.from.includes(record.state) &&
              row.guards.every((guard) => GUARDS[guard](record, what, now)),
          );
          expect(open.length, open.map(({ id }) => id).join(" and ")).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  it("each state is entered by a row, and each open state is left by the sweeper or by the queue", () => {
    const ends = new Set(TRANSITIONS.flatMap(({ to }) => to));
    for (const state of [...OPEN_STATES, ...SETTLED_STATES]) expect(ends).toContain(state);
    const exits = OPEN_STATES.map((state) => [
      state,
      TRANSITIONS.filter(
        ({ from, to, by }) =>
          from.includes(state) &&
          to.some((end) => end !== "same" && end !== state) &&
          by.some((mover) => mover === "sweeper" || mover === "operator"),
      ).map(({ id }) => id),
    ]);
    expect(Object.fromEntries(exits)).toEqual({
      ready: ["store_loss", "give_up", "permit_over", "suspend"],
      in_flight: ["question_over", "lease_over", "store_loss"],
      uncertain: ["partial", "escalate", "operator_applied", "operator_absent", "operator_resend", "operator_abandon"],
      unresolved: ["partial", "operator_applied", "operator_absent", "operator_resend", "operator_abandon"],
    });
  });

  it("row ids are unique, every guard is used, and every row says why", () => {
    expect(new Set(TRANSITIONS.map(({ id }) => id)).size).toBe(TRANSITIONS.length);
    expect(new Set(TRANSITIONS.flatMap(({ guards }) => guards))).toEqual(new Set(Object.keys(GUARDS)));
    for (const { why } of TRANSITIONS) expect(why).not.toBe("");
  });

  it("evolve changes neither the record nor the event that it was given", () => {
    for (const { given: steps, when: step } of EXAMPLES) {
      const before = steps.length === 0 ? undefined : deepFreeze(given(...steps));
      expect(evolve(before, deepFreeze(structuredClone(step.event)), T0 + step.after).kind).toBe("moved");
    }
  });

  it("`issue` is `submit` and `start` in one write", () => {
    const both = when(when(undefined, at(0, event.submit())).record, at(0, event.start(1))).record;
    expect(when(undefined, at(0, event.issue())).record).toEqual(both);
  });
});

/** The rows of the executable model, by its names, and the rows that the design adds to them. */
const MODEL: readonly { readonly model: string; readonly ours: string; readonly from: string; readonly to: string }[] =
  [
    { model: "adopt", ours: "adopt", from: "none", to: "uncertain" },
    { model: "submit", ours: "submit", from: "none", to: "ready" },
    { model: "start", ours: "start", from: "ready", to: "in_flight" },
    { model: "replay", ours: "resend", from: "uncertain", to: "in_flight" },
    { model: "renew", ours: "renew", from: "in_flight", to: "same" },
    { model: "unsent", ours: "unsent", from: "in_flight", to: "ready uncertain" },
    { model: "ok", ours: "ok", from: "in_flight uncertain unresolved ready", to: "succeeded" },
    { model: "ok_enrich", ours: "ok_enrich", from: "applied", to: "same" },
    { model: "ok_conflict", ours: "ok_conflict", from: "rejected not_applied abandoned", to: "same" },
    { model: "rej_final", ours: "rejected", from: "in_flight uncertain unresolved", to: "rejected uncertain" },
    {
      model: "rej_retry",
      ours: "rejected_retryable",
      from: "in_flight uncertain unresolved",
      to: "ready rejected uncertain",
    },
    { model: "timeout", ours: "doubt", from: "in_flight", to: "uncertain" },
    { model: "lease_over", ours: "lease_over", from: "in_flight", to: "uncertain" },
    { model: "give_up", ours: "give_up", from: "ready", to: "not_applied" },
    { model: "permit_over", ours: "permit_over", from: "ready", to: "uncertain" },
    { model: "present", ours: "present", from: "uncertain unresolved", to: "applied" },
    { model: "absent", ours: "absent", from: "uncertain", to: "same ready not_applied" },
    { model: "probe_fail", ours: "probe_fail", from: "uncertain", to: "same" },
    { model: "escalate", ours: "escalate", from: "uncertain", to: "unresolved" },
    { model: "h_applied", ours: "operator_applied", from: "uncertain unresolved", to: "applied" },
    { model: "h_absent", ours: "operator_absent", from: "uncertain unresolved", to: "not_applied" },
    { model: "h_replay", ours: "operator_resend", from: "uncertain unresolved", to: "ready" },
    { model: "h_abandon", ours: "operator_abandon", from: "uncertain unresolved", to: "abandoned" },
    {
      model: "deliver",
      ours: "deliver",
      from: "succeeded failed rejected applied not_applied partial abandoned",
      to: "same",
    },
    { model: "(design) answered_error", ours: "answered_error", from: "in_flight uncertain unresolved", to: "failed" },
    { model: "(design) partial", ours: "partial", from: "uncertain unresolved", to: "partial" },
    { model: "(design) correct", ours: "correct", from: "succeeded failed not_applied", to: "applied not_applied" },
    { model: "(design) suspend", ours: "suspend", from: "ready", to: "uncertain" },
    { model: "(design) leg", ours: "leg", from: "in_flight", to: "same" },
    { model: "(design) task_created", ours: "task_created", from: "in_flight", to: "same" },
    { model: "(design) reopen", ours: "reopen", from: "succeeded applied not_applied", to: "same" },
  ];
/** Rows of ours that the model does not name: what a loss took, the clean path in one write, late proof, and the ends of holds, watches and permits. */
const OURS_ALONE = [
  "store_loss",
  "store_loss_queued",
  "issue",
  "unsent_late",
  "ok_second",
  "withdraw",
  "watch_over",
  "hold_over",
  "task_created_late",
  "task_working",
  "task_overdue",
  "task_lost",
  "next_leg",
  "unsent_leg",
  "question_over",
  "legs_over",
];

describe("every row of the reference model is there", () => {
  it.each(MODEL)("$model is $ours", ({ ours, from, to }) => {
    const row = TRANSITIONS.find(({ id }) => id === ours);
    expect(row?.from).toEqual(expect.arrayContaining(from.split(" ")));
    expect(row?.to).toEqual(expect.arrayContaining(to.split(" ")));
  });

  it("and what we added to it is named", () => {
    const known = [...MODEL.map(({ ours }) => ours), ...OURS_ALONE];
    expect(TRANSITIONS.map(({ id }) => id).filter((id) => !known.includes(id))).toEqual([]);
  });
});
