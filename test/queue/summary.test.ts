/** What an operation is about stands in the list: similar charges must not look alike to whoever decides. */
import { expect, test } from "vitest";
import { guardFunction } from "../../src/index.ts";
import { summaryOf } from "../../src/queue-summary.ts";
import { BANK, BY, onEachStore } from "./support.ts";

test("the identity arguments say what it is about, else all but the volatile ones", () => {
  const args = { order: "o-1", cents: 9000, customer: { id: "c-7" }, at: "12:00" };
  expect(summaryOf(args, { identityArgs: ["/customer/id", "/order", "/gone"] })).toBe(
    'customer.id: "c-7", order: "o-1"',
  );
  expect(summaryOf(args, { identityArgs: ["/gone"], volatileArgs: ["/at"] })).toBe(
    'order: "o-1", cents: 9000, customer: {"id":"c-7"}',
  );
  expect(summaryOf({}, {})).toBeUndefined();
  expect(summaryOf(undefined, {})).toBeUndefined();
});

test("a summary stays one short line, whatever the arguments are", () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`n${n}`, "x".repeat(2_000)]));
  for (const args of [many, { a: "😀".repeat(500) }, { ["k".repeat(900)]: [[["deep"]]] }, { a: "\n\u202e\u0000" }]) {
    const summary = summaryOf(args, {}) ?? "";
    expect(summary.length).toBeLessThanOrEqual(160);
    expect(summary).not.toMatch(/\n/);
    expect(summary.isWellFormed()).toBe(true);
  }
});

onEachStore("The summary of an item", (desk) => {
  test("stands in a list that asks for it, in a search and in a dry run; secrets are masked", async () => {
    const { guard, queued } = desk();
    await queued("o-1");
    const pay = guardFunction(guard, { server: BANK, tool: "pay" }, () => Promise.reject(new Error("lost")));
    await pay({ order: "o-2", password: "hunter2" } as never);
    const of = async (filter: object) => (await guard.queue.list(filter)).items.map(({ summary }) => summary);
    expect(await of({})).toEqual(expect.arrayContaining([undefined]));
    expect(await of({ summaries: true })).toContain('order: "o-1"');
    expect(await of({ index: "open", summaries: true })).toContain('order: "o-2", password: "[redacted]"');
    expect(await of({ text: "O-1" })).toEqual(['order: "o-1"']);
    const { items } = await guard.queue.resolveAll({ ...BY, filter: {}, verdict: "abandon", dryRun: true });
    expect(items.map(({ summary }) => summary)).toContain('order: "o-1"');
  });

  test("pages through many items, each once and with its own", async () => {
    const { guard, pay, until } = desk();
    const ids = await Promise.all(Array.from({ length: 120 }, (_, n) => pay(`o-${n}`)));
    await until(ids.at(-1) ?? "", "unresolved");
    const { items } = await guard.queue.list({ index: "open", summaries: true, limit: 1_000 });
    const { items: waiting } = await guard.queue.list({ summaries: true, limit: 1_000 });
    const all = new Map([...items, ...waiting].map(({ id, summary }) => [id, summary]));
    expect(ids.map((id) => all.get(id))).toEqual(ids.map((_, n) => `order: "o-${n}"`));
  });
});
