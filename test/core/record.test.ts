import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, type Limits } from "../../src/core/limits.ts";
import type { Permit, RecordDraft } from "../../src/core/record.ts";
import { decodeRecord, encodeRecord, resolve, stampRecord } from "../../src/core/record-text.ts";
import { BASES, type Moment, OPEN_STATES, SETTLED_STATES } from "../../src/core/terms.ts";
import { at, event, given, MINUTE, SECOND, T0 } from "./support/machine.ts";

const instant = fc.integer({ min: 1, max: T0 * 2 });
const moment: fc.Arbitrary<Moment> = fc.oneof(
  instant,
  fc.nat(10 ** 10).map((after) => ({ after })),
);
const permit: fc.Arbitrary<Permit<Moment>> = fc.record(
  { basis: fc.constantFrom(...BASES), until: moment, from: moment },
  { requiredKeys: ["basis", "until"] },
);
const text = fc.string({ minLength: 1, maxLength: 30, unit: "binary" });
const flag = fc.constant(true as const);
const limits: fc.Arbitrary<Limits> = fc
  .record(
    {
      lease: fc.nat(),
      settle: fc.nat(),
      settleDeclared: fc.boolean(),
      absentReads: fc.nat(),
      resendWhenAbsent: fc.boolean(),
      repeatWindow: fc.nat(),
      retention: fc.nat(),
    },
    { requiredKeys: [] },
  )
  .map((over) => ({ ...DEFAULT_LIMITS, ...over }));
const draft = fc.record(
  {
    state: fc.constantFrom(...OPEN_STATES, ...SETTLED_STATES),
    attempts: fc.nat(20),
    open: fc.nat(20),
    tokens: fc.array(text, { maxLength: 4 }),
    issuedAt: moment,
    limits,
    permit,
    spent: permit,
    leaseUntil: moment,
    waiting: flag,
    quiesceAt: moment,
    lookAt: moment,
    absent: fc.integer({ min: 1, max: 9 }),
    absentAt: moment,
    probes: fc.integer({ min: 1, max: 99 }),
    answered: flag,
    ruledOut: flag,
    reason: text,
    settledAt: moment,
    ref: text,
    items: fc.array(fc.record({ item: text, verdict: fc.constantFrom("applied", "absent", "unclear") }), {
      minLength: 1,
    }),
    conflict: flag,
    delivered: flag,
    recallOver: flag,
    accepted: flag,
    attributed: fc.boolean(),
    watchUntil: moment,
    fingerprint: text,
    thread: text,
    holdThread: flag,
    contract: text,
    task: text,
    keyId: text,
  },
  { requiredKeys: ["state", "attempts", "open", "tokens", "issuedAt", "limits"], noNullPrototype: true },
) as fc.Arbitrary<RecordDraft>;

/** What a record is once the store has stamped its moments. */
function stamped(record: RecordDraft, now: number): unknown {
  const stampedPermit = ({ basis, until, from }: Permit<Moment>) => ({
    basis,
    until: resolve(until, now),
    ...(from !== undefined && { from: resolve(from, now) }),
  });
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      if (name === "permit" || name === "spent") return [name, stampedPermit(value as Permit<Moment>)];
      return [name, typeof value === "object" && "after" in value ? resolve(value as Moment, now) : value];
    }),
  );
}

describe("a record and its text", () => {
  it("say the same, whatever is in it; moments are counted from the store's stamp", () => {
    fc.assert(
      fc.property(draft, instant, (record, now) => {
        expect(decodeRecord(encodeRecord(record), now)).toEqual(stamped(record, now));
        expect(stampRecord(record, now)).toEqual(stamped(record, now));
      }),
      { numRuns: 1_000 },
    );
  });

  it("keep no clock but the store's: a moment is written as a duration", () => {
    const text = encodeRecord({ ...given(at(0, event.issue())), leaseUntil: { after: 30_000 } });
    expect(JSON.parse(text).l).toBe("+30000");
    expect(decodeRecord(text, T0 + MINUTE).leaseUntil).toBe(T0 + MINUTE + 30_000);
  });

  it("`attributed: false` is a fact and survives; other false flags are the absence of one", () => {
    const record = given(at(0, event.issue()), at(1, event.doubt(1)), at(2, event.present({ attributed: false })));
    expect(record.attributed).toBe(false);
    expect(encodeRecord({ ...record, conflict: false, waiting: false })).toBe(encodeRecord(record));
  });
});

describe("memory: a closed record is small", () => {
  const plain = { settleDeclared: false };
  it.each([
    ["a delivered success", given(at(0, event.issue(plain)), at(SECOND, event.ok(1)), at(2 * SECOND, event.deliver))],
    [
      "a success that nobody came for",
      given(at(0, event.issue(plain)), at(SECOND, event.ok(1)), at(10 * 86_400_000, event.holdOver)),
    ],
  ])("%s takes at most 75 bytes of text", (_what, record) => {
    const text = encodeRecord(record);
    expect(Buffer.byteLength(text), text).toBeLessThanOrEqual(75);
  });

  it("the other settled ones stay below 150 bytes", () => {
    const failed = given(at(0, event.issue(plain)), at(SECOND, event.answeredError(1)), at(2 * SECOND, event.deliver));
    expect(Buffer.byteLength(encodeRecord(failed))).toBeLessThanOrEqual(150);
  });

  it("stores only limits that differ from the defaults", () => {
    expect(JSON.parse(encodeRecord(given(at(0, event.issue(plain)))))).not.toHaveProperty("z");
    expect(JSON.parse(encodeRecord(given(at(0, event.issue({ settle: 5_000 })))))).toMatchObject({
      z: { settle: 5_000, settleDeclared: true },
    });
  });
});
