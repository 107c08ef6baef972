/** T7: the model, its prompts or a compaction issue the write again, with a new id or in new words. */
import { expect, test } from "vitest";
import { INVOICE, inTurn, kinds, overHttp, sleep } from "./harness.ts";
import { write } from "./tools.ts";

test("T7-01 a refund under a new tool-call id in the next turn is the refund that is in doubt", async () => {
  const given = await overHttp({
    tools: [write("refund")],
    script: { refund: [{ reply: "reset" }, {}] },
    policy: { refund: {} },
  });
  const first = await given.call("refund", { payment: "p" }, { runId: "r", turnId: "1", toolCallId: "call_a" });
  const second = await given.call("refund", { payment: "p" }, { runId: "r", turnId: "2", toolCallId: "call_b" });

  expect(kinds([first, second])).toEqual(["uncertain", "uncertain"]);
  expect(second.outcome.heldBy).toBe(first.outcome.operation);
  expect(given.arrivals("refund")).toBe(1);
});

test("T7-02 an equal write long after a success runs, unless the tool recalls repeats inside a window", async () => {
  // Disputed: DESIGN section 3 lets a delivered success be repeated; a window is the operator's policy, not a truth.
  const given = await overHttp({
    tools: [write("update_price"), write("update_stock")],
    policy: { update_price: {}, update_stock: { repeat: "recall", repeatWindow: 400 } },
  });
  const price = await inTurn(2, () => given.call("update_price", { sku: 1, value: 9 }));
  const stock = await inTurn(2, () => given.call("update_stock", { sku: 1, value: 9 }));
  await sleep(450);
  await given.guard.sweep();
  const later = await given.call("update_stock", { sku: 1, value: 9 });

  expect(kinds([...price, ...stock, later])).toEqual(Array(5).fill("succeeded"));
  expect(stock[1]?.text).toContain("[recalled]");
  expect([given.effects("update_price").length, given.effects("update_stock").length]).toEqual([2, 2]);
});

test("T7-03 ninety repeats cause one effect and read the same words each time", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }, {}] },
    policy: { create_invoice: { settle: "1m" } },
  });
  await given.call("create_invoice", INVOICE);
  const repeats = await inTurn(90, () => given.call("create_invoice", INVOICE));

  expect(new Set(repeats.map(({ text }) => text)).size).toBe(1);
  expect(repeats[0]?.text).toContain("tell the user what is open");
  expect(given.effects()).toHaveLength(1);
});

test("T7-04 a healthy listing is no proof that nothing happened: the list passes, the write is held", async () => {
  const given = await overHttp({ script: { write_file: [{ reply: "never" }] }, destination: { visibleAfter: 60_000 } });
  const file = { path: "a", content: "b" };
  const first = await given.call("write_file", file);
  const listed = await given.call("list_files", {});
  const again = await given.call("write_file", file);

  expect(kinds([first, listed, again])).toEqual(["uncertain", "succeeded", "uncertain"]);
  expect(again.outcome.heldBy).toBe(first.outcome.operation);
  expect(given.effects()).toHaveLength(1);
});

test.each(["obedient", "disobedient"])(
  "T7-05 a %s model ends with one effect: checking is let through, repeating is not",
  async (model) => {
    const given = await overHttp({ script: { create_invoice: [{ reply: "never" }, {}] } });
    const first = await given.call("create_invoice", INVOICE);
    const next =
      model === "obedient"
        ? await given.call("find_invoice", { order: INVOICE.order })
        : await given.call("create_invoice", INVOICE);

    expect(first.kind).toBe("uncertain");
    expect(next.kind).toBe(model === "obedient" ? "succeeded" : "uncertain");
    expect(given.effects()).toHaveLength(1);
  },
);

test("T7-06 the same operation asked for again, by transport or agent, gets the recorded result", async () => {
  const given = await overHttp({ tools: [write("create_issue")], policy: { create_issue: {} } });
  const operationId = "issue for ticket 7";
  const first = await given.call("create_issue", { title: "x" }, { operationId });
  const second = await given.call("create_issue", { title: "x" }, { operationId });

  expect(second.outcome).toMatchObject({ recalled: true, operation: first.outcome.operation });
  expect(second.text.split("\n").slice(0, -1)).toEqual(first.text.split("\n"));
  expect(given.effects("create_issue")).toHaveLength(1);
});

test("T7-07 a model that repeats after a success gets the stored success with a note, where the tool says so", async () => {
  const given = await overHttp({ policy: { create_invoice: { repeat: "recall" } } });
  const said = await inTurn(2, () => given.call("create_invoice", INVOICE));

  expect(said[1]).toMatchObject({ kind: "succeeded", isError: false });
  expect(said[1]?.text).toMatch(/carried out before and was not repeated/);
  expect(said[1]?.result?._meta).toMatchObject({ "indoubt/outcome": { recalled: true } });
  expect(given.effects()).toHaveLength(1);
});

test("T7-08 a second emission while the first is under way joins it", async () => {
  const given = await overHttp({ script: { create_invoice: [{ reply: { late: 200 } }, {}] } });
  const turn = { runId: "r", turnId: "1" };
  const first = given.call("create_invoice", INVOICE, { ...turn, toolCallId: "a" });
  await sleep(100);
  const second = given.call("create_invoice", INVOICE, { ...turn, toolCallId: "b" });

  expect((await second).outcome).toMatchObject({ kind: "succeeded", joined: true });
  expect((await first).kind).toBe("succeeded");
  expect(given.effects()).toHaveLength(1);
});
