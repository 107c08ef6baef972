import { describe, expect, it } from "vitest";
import { holdChanges, type Placement, placementOf } from "../../src/core/placement.ts";
import type { OperationRecord } from "../../src/core/record.ts";
import { SETTLED_STATES, type SettledState } from "../../src/core/terms.ts";
import { at, DAY, event, given, HOUR, limits, MINUTE, SECOND, T0 } from "./support/machine.ts";

const first = at(0, event.issue());
const doubt = at(SECOND, event.doubt(1));
const RETENTION = 30 * DAY;

interface Row {
  readonly what: string;
  readonly record: OperationRecord;
  readonly stands: Placement;
}

const identity = "ffingerprint-of-22-chars";
const inDoubt = "dfingerprint-of-22-chars";

const settledAs = (state: SettledState, more: Partial<OperationRecord> = {}): OperationRecord => ({
  state,
  attempts: 1,
  open: 0,
  tokens: [],
  issuedAt: T0,
  settledAt: T0,
  fingerprint: "fingerprint-of-22-chars",
  limits: limits(),
  ...more,
});

const ROWS: readonly Row[] = [
  {
    what: "ready with its first permit: due when the permit lapses",
    record: given(at(0, event.submit())),
    stands: { due: T0 + 15 * MINUTE, attention: false, holds: [identity] },
  },
  {
    what: "ready by an operator's order: due at once, the sweeper may send it",
    record: given(first, doubt, at(2 * MINUTE, event.operatorResend())),
    stands: { due: { after: 0 }, attention: false, holds: [identity, `d${identity.slice(1)}`] },
  },
  {
    what: "ready by an observed absence: due at once",
    record: given(
      at(0, event.issue({ absentReads: 1, resendWhenAbsent: true })),
      doubt,
      at(HOUR / 20, event.absent(T0 + HOUR / 20)),
    ),
    stands: { due: { after: 0 }, attention: false, holds: [identity] },
  },
  {
    what: "ready after a rejection with Retry-After: due when the permit lapses, its caller waits for the start",
    record: given(first, at(SECOND, event.rejected(1, { retryable: true, retryAfter: MINUTE }))),
    stands: { due: T0 + 15 * MINUTE, attention: false, holds: [identity] },
  },
  {
    what: "in flight: due when the lease ends",
    record: given(first),
    stands: { due: T0 + 30 * SECOND, attention: false, holds: [identity] },
  },
  {
    what: "uncertain: due at the next look, and holds calls with an operation id of their own too",
    record: given(first, doubt),
    stands: { due: T0 + 61 * SECOND, attention: false, holds: [identity, inDoubt] },
  },
  {
    what: "uncertain with hold: tool: holds the thread",
    record: { ...given(first, doubt), holdThread: true },
    stands: { due: T0 + 61 * SECOND, attention: false, holds: [identity, inDoubt, "tthread-8"] },
  },
  {
    what: "unresolved: in the queue, not due",
    record: given(first, doubt, at(2 * MINUTE, event.escalate())),
    stands: { due: null, attention: true, holds: [identity, inDoubt] },
  },
  ...(["succeeded", "failed", "applied", "abandoned"] as const).flatMap((state) => [
    {
      what: `${state}, not delivered: recalled until its time is over`,
      record: settledAs(state),
      stands: { due: T0 + DAY, attention: false, holds: [identity] },
    },
    {
      what: `${state}, delivered: expires, holds nothing`,
      record: settledAs(state, { delivered: true }),
      stands: { due: null, attention: false, holds: [], expireIn: RETENTION },
    },
    {
      what: `${state}, nobody came for it: expires, holds nothing`,
      record: settledAs(state, { recallOver: true }),
      stands: { due: null, attention: false, holds: [], expireIn: RETENTION },
    },
    {
      what: `${state} with a conflict: in the queue, holds, never expires`,
      record: settledAs(state, { conflict: true, delivered: true }),
      stands: { due: null, attention: true, holds: [identity] },
    },
  ]),
  ...(["rejected", "not_applied"] as const).flatMap((state) => [
    {
      what: `${state}, not delivered: holds nothing, but is kept for its own caller`,
      record: settledAs(state),
      stands: { due: T0 + DAY, attention: false, holds: [] },
    },
    {
      what: `${state}, delivered: expires`,
      record: settledAs(state, { delivered: true }),
      stands: { due: null, attention: false, holds: [], expireIn: RETENTION },
    },
    {
      what: `${state} with a conflict: in the queue, and holds again`,
      record: settledAs(state, { conflict: true, delivered: true }),
      stands: { due: null, attention: true, holds: [identity] },
    },
  ]),
  {
    what: "partial: in the queue until a person accepts it, delivered or not",
    record: settledAs("partial", { delivered: true }),
    stands: { due: null, attention: true, holds: [identity] },
  },
  {
    what: "partial, accepted and delivered: expires",
    record: settledAs("partial", { accepted: true, delivered: true }),
    stands: { due: null, attention: false, holds: [], expireIn: RETENTION },
  },
  {
    what: "partial, accepted, not delivered: recalled like any other",
    record: settledAs("partial", { accepted: true }),
    stands: { due: T0 + DAY, attention: false, holds: [identity] },
  },
  {
    what: "succeeded and watched, delivered: due at the next look, does not expire, holds nothing",
    record: settledAs("succeeded", { delivered: true, watchUntil: T0 + HOUR, lookAt: T0 + MINUTE }),
    stands: { due: T0 + MINUTE, attention: false, holds: [] },
  },
  {
    what: "succeeded and watched, not delivered: due at whichever comes first",
    record: settledAs("succeeded", { watchUntil: T0 + 3 * DAY, lookAt: T0 + 2 * DAY }),
    stands: { due: T0 + DAY, attention: false, holds: [identity] },
  },
  {
    what: "succeeded with repeat: recall, delivered: holds until the window ends",
    record: settledAs("succeeded", { delivered: true, limits: limits({ repeatWindow: 10 * MINUTE }) }),
    stands: { due: T0 + 10 * MINUTE, attention: false, holds: [identity], expireIn: RETENTION },
  },
  {
    what: "failed with repeat: recall, delivered: only effects hold repeats",
    record: settledAs("failed", { delivered: true, limits: limits({ repeatWindow: 10 * MINUTE }) }),
    stands: { due: null, attention: false, holds: [], expireIn: RETENTION },
  },
  {
    what: "without a fingerprint (identity: per-call): holds nothing in any state",
    record: { ...given(first, doubt), fingerprint: undefined } as unknown as OperationRecord,
    stands: { due: T0 + 61 * SECOND, attention: false, holds: [] },
  },
];

describe("where a record stands in the indexes of its store (I4, I5, C06)", () => {
  it.each(ROWS)("$what", ({ record, stands }) => {
    expect(placementOf(record, T0 + 30 * SECOND)).toEqual(stands);
  });

  it("has a row for every state", () => {
    expect(new Set(ROWS.map(({ record }) => record.state)).size).toBe(4 + SETTLED_STATES.length);
  });

  it("expires under no combination of flags unless it is settled, unwatched, closed by people and received or past recall", () => {
    const flags = [undefined, true] as const;
    for (const state of SETTLED_STATES)
      for (const conflict of flags)
        for (const delivered of flags)
          for (const recallOver of flags)
            for (const accepted of flags)
              for (const watchUntil of [undefined, T0 + HOUR]) {
                const all = { conflict, delivered, recallOver, accepted, watchUntil, lookAt: watchUntil };
                const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
                const { expireIn, attention, due } = placementOf(settledAs(state, given), T0);
                const waits = conflict === true || (state === "partial" && !accepted);
                const mayExpire = !waits && watchUntil === undefined && (delivered === true || recallOver === true);
                expect([expireIn !== undefined, attention], JSON.stringify({ state, ...given })).toEqual([
                  mayExpire,
                  waits,
                ]);
                expect(due !== null || attention || mayExpire, JSON.stringify({ state, ...given })).toBe(true);
              }
  });
});

it("a change names only the hold entries that differ", () => {
  const before = given(first);
  expect(holdChanges(before, [identity, inDoubt])).toEqual({ add: [inDoubt], remove: [] });
  expect(holdChanges(before, [])).toEqual({ add: [], remove: [identity] });
});
