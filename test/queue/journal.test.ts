/** The journal: doubt, how it ended, decisions, conflicts; and the figures that follow from it. A clean call leaves no line. */
import { describe, expect, test } from "vitest";
import { absent, applied, guardFunction, type Observation, type ToolOptions } from "../../src/index.ts";
import { world } from "../review/support.ts";
import { BY, onEachStore } from "./support.ts";

const SERVER = "bank";

/** A bank on a hand-moved clock: each payment is answered when, and if, the test says so. */
function bankOnHand(tool: ToolOptions = {}) {
  const made = world({ deadline: "10s", servers: { [SERVER]: { tools: { pay: tool } } } });
  const answers: ((value: unknown) => void)[] = [];
  const pay = guardFunction(
    made.guard,
    { server: SERVER, tool: "pay" },
    () => new Promise((done) => answers.push(done)),
  );
  /** Pays, and lets the deadline pass. */
  const lost = async (order: number) => {
    const paying = pay({ order });
    await made.hand.move(10_000);
    const { operation } = await paying;
    return operation;
  };
  return { ...made, pay, answers, lost };
}

describe("The journal", () => {
  test("is not written to by a clean call, nor by a recall", async () => {
    const { guard, pay, answers, hand, store } = bankOnHand();
    for (let n = 0; n < 3; n += 1) {
      const paying = pay({ order: n });
      await hand.settle();
      answers.pop()?.({ paid: n });
      expect((await paying).kind).toBe("succeeded");
    }
    await hand.move(1_000);
    expect((await guard.queue.journal()).items).toEqual([]);
    expect((await store.journal({})).entries).toEqual([]);
  });

  test("says how a doubt ended, whether the effect was there, and how long after the send", async () => {
    const { guard, answers, hand, lost } = bankOnHand({ settle: "60s" });
    const [one, two] = [await lost(1), await lost(2)];
    await hand.move(2_000);
    answers[1]?.({ paid: 2 });
    await hand.move(5_000);
    answers[0]?.({ paid: 1 });
    await hand.move(1_000);
    const { items } = await guard.queue.journal();
    const told = items.map(({ id, kind, how, landed, ageMs, to }) => ({ id, kind, how, landed, ageMs, to }));
    expect(told).toEqual([
      { id: one, kind: "settled", how: "late_answer", landed: true, ageMs: 27_000, to: "succeeded" },
      { id: two, kind: "settled", how: "late_answer", landed: true, ageMs: 12_000, to: "succeeded" },
      { id: two, kind: "doubt", how: undefined, landed: undefined, ageMs: 10_000, to: "uncertain" },
      { id: one, kind: "doubt", how: undefined, landed: undefined, ageMs: 10_000, to: "uncertain" },
    ]);
  });

  test("gives the figures that tell which deadline to fix", async () => {
    const seen = new Map<number, Observation>([
      [3, applied({ ref: "tx-3" })],
      [4, absent()],
    ]);
    const look = ({ arguments: { order } }: { arguments: { order?: unknown } }) =>
      seen.get(Number(order)) ?? { kind: "unclear" as const, reason: "the ledger is closed" };
    const { guard, answers, hand, lost } = bankOnHand({
      reconcile: { look, settle: "30s", staleness: "1s", absentReads: 1, maxProbes: 3 },
    });
    await lost(1);
    await lost(2);
    answers[0]?.({ paid: 1 });
    await hand.settle();
    await lost(3);
    await lost(4);
    const five = await lost(5);
    await hand.move(600_000);
    const { version } = await guard.queue.show(five);
    await guard.queue.resolve(five, { verdict: "applied", version, ...BY });
    const [figures] = (await guard.queue.stats()).tools;
    expect(figures).toMatchObject({ tool: "pay", attention: 1, doubts: 5, landed: 3, notLanded: 1, undecided: 1 });
    expect(figures?.medianLandingMs).toBeLessThanOrEqual(20_000);
  });

  test("a verdict that a late answer contradicts counts as what came", async () => {
    const { guard, answers, hand, lost } = bankOnHand({ settle: "1s" });
    const id = await lost(1);
    await hand.move(10_000);
    const { version } = await guard.queue.show(id);
    await guard.queue.resolve(id, { verdict: "not_applied", version, ...BY });
    answers[0]?.({ paid: 1 });
    await hand.move(1_000);
    const { items } = await guard.queue.journal();
    expect(items.map(({ kind, row }) => [kind, row])).toEqual([
      ["conflict", "ok_conflict"],
      ["verdict", "operator_absent"],
      ["doubt", "doubt"],
    ]);
    const { tools, byState, attention } = await guard.queue.stats();
    expect(tools).toMatchObject([{ doubts: 1, landed: 1, notLanded: 0, attention: 1 }]);
    expect([byState, attention]).toEqual([{ not_applied: 1 }, 1]);
  });

  test("keeps what a hook said out: those may be a customer's words", async () => {
    const look = () => {
      throw new Error("postgres://admin:hunter2@db/ledger refused");
    };
    const { guard, hand, lost, store } = bankOnHand({ reconcile: { look, settle: "1s", maxProbes: 2 } });
    const id = await lost(1);
    await hand.move(600_000);
    expect((await guard.queue.show(id)).state).toBe("unresolved");
    const raw = JSON.stringify([(await store.journal({})).entries, await store.history(id)]);
    expect(raw).not.toContain("hunter2");
    expect((await guard.queue.show(id)).hook).toMatchObject({
      configured: true,
      lastSaid: expect.stringContaining("hunter2"),
    });
  });
});

onEachStore("The journal of people's decisions", (newDesk) => {
  test("names actor, reason, reference and override, newest first, by kind and tool, in pages", async () => {
    const desk = newDesk();
    const { queue } = desk.guard;
    const items = [await desk.queued("o-1"), await desk.queued("o-2"), await desk.queued("o-3")];
    const [one, two, three] = items;
    if (!one || !two || !three) throw new Error("no items");
    await queue.resolve(one.id, { verdict: "applied", version: one.version, ...BY, ref: "tx-1" });
    const closed = await queue.resolve(two.id, { verdict: "abandon", version: two.version, ...BY });
    await queue.correct(two.id, { to: "applied", version: closed.version, actor: "finance", reason: "it was there" });
    desk.bank.script.push("done");
    await queue.resolve(three.id, { verdict: "resend", version: three.version, ...BY, override: true });
    await desk.until(three.id, "succeeded");

    const all = (await queue.journal({ limit: 1_000 })).items;
    expect(all.map(({ id, kind, row }) => [id, kind, row]).slice(0, 5)).toEqual([
      [three.id, "settled", "ok"],
      [three.id, "verdict", "operator_resend"],
      [two.id, "correction", "correct"],
      [two.id, "verdict", "operator_abandon"],
      [one.id, "verdict", "operator_applied"],
    ]);
    expect(all[0]).toMatchObject({ how: "resend_answered", from: "in_flight", to: "succeeded" });
    expect(all[0]).not.toHaveProperty("landed");
    expect(all[1]).toMatchObject({ ...BY, override: true });
    expect(all[2]).toMatchObject({ actor: "finance", reason: "it was there", from: "abandoned", to: "applied" });
    expect(all[4]).toMatchObject({
      ...BY,
      ref: "tx-1",
      landed: true,
      how: "verdict",
      server: "bank.acme",
      tool: "pay",
    });
    expect(all.slice(5).map(({ kind }) => kind)).toEqual(["doubt", "doubt", "doubt"]);

    const paged = [];
    let cursor: string | undefined;
    do {
      const page = await queue.journal({ kind: "verdict", limit: 1, ...(cursor !== undefined && { cursor }) });
      paged.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(paged.map(({ id }) => id)).toEqual([three.id, two.id, one.id]);
    expect((await queue.journal({ tool: "refund" })).items).toEqual([]);
    const { tools, attention } = await queue.stats();
    expect([attention, tools]).toEqual([
      0,
      [expect.objectContaining({ doubts: 3, landed: 2, resent: 1, undecided: 0 })],
    ]);
    await expect(queue.journal({ kind: "verdicts" as never })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});
