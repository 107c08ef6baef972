/** T6: an agent framework, a tool wrapper or stacked retry budgets call us again. */
import { expect, test } from "vitest";
import { INVOICE, inTurn, kinds, overHttp, overStdio, type Said, type Scene, sleep } from "./harness.ts";
import { write } from "./tools.ts";

/** A retry layer around us, as frameworks have it: repeats what throws or what reads as a passing failure. */
async function retryLayer(given: Scene, tool: string, args: object): Promise<Said[]> {
  const seen: Said[] = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const said = await given.call(tool, args);
    seen.push(said);
    if (said.error === undefined && !GREPPED.test(said.text)) break;
  }
  return seen;
}
const GREPPED =
  /fetch failed|connection closed|not connected|HTTP [45]\d\d|ECONN|ETIMEDOUT|terminated|timed out|rate limit/i;

test("T6-01 inside a retry layer, and then again by the model, the card is charged once", async () => {
  const given = await overHttp({
    tools: [write("charge_card")],
    script: { charge_card: [{ reply: "never" }] },
    policy: { charge_card: {} },
  });
  const layer = await inTurn(3, () => given.call("charge_card", { amount: 5 }));
  const model = await given.call("charge_card", { amount: 5 }, { toolCallId: "another" });

  expect(kinds([...layer, model])).toEqual(["uncertain", "uncertain", "uncertain", "uncertain"]);
  expect(new Set(layer.slice(1).map(({ text }) => text)).size).toBe(1);
  expect(given.arrivals("charge_card")).toBe(1);
});

test("T6-02 a framework that repeats on every failure has no failure to repeat on", async () => {
  const given = await overStdio({ script: { create_invoice: [{ reply: "kill_process" }] } });
  const seen = await retryLayer(given, "create_invoice", INVOICE);

  expect(kinds(seen)).toEqual(["uncertain"]);
  expect(given.effects()).toHaveLength(1);
});

test("T6-03 an SDK that retries around us: a write ends the loop with a normal result, a read is retried for it", async () => {
  const given = await overHttp({
    path: [{ reset: "after" }, { status: 503, when: "before" }, "forward"],
    connect: { fetch: true },
  });
  const wrote = await retryLayer(given, "create_invoice", INVOICE);
  const reading = await given.call("find_invoice", { order: "o-1" }, { deadline: 5_000 });
  const again = await inTurn(3, () => given.call("create_invoice", INVOICE));

  expect(kinds(wrote)).toEqual(["uncertain"]);
  expect(reading.kind).toBe("succeeded");
  expect(again.every(({ error, isError }) => error === undefined && isError)).toBe(true);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("T6-04 a task that runs again in other words is held by its identity fields, and without them it passes", async () => {
  const given = await overHttp({
    tools: [write("post"), write("post_freely")],
    script: { post: [{ reply: "reset" }, {}], post_freely: [{ reply: "reset" }, {}] },
    policy: { post: { identityArgs: ["/channel"] }, post_freely: {} },
  });
  const said = [
    await given.call("post", { channel: "a", text: "hello" }),
    await given.call("post", { channel: "a", text: "hi there" }),
    await given.call("post_freely", { channel: "a", text: "hello" }),
    await given.call("post_freely", { channel: "a", text: "hi there" }),
  ];

  expect(kinds(said)).toEqual(["uncertain", "uncertain", "uncertain", "succeeded"]);
  expect(said[1]?.outcome.differentArguments).toBe(true);
  expect(given.arrivals("post")).toBe(1);
  // Protection by an argument hash is not promised: without identity fields a reworded repeat is another write.
  expect(given.arrivals("post_freely")).toBe(2);
});

test("T6-05 the record counts sends, not intentions, and one deadline covers the call", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "never" }] },
    policy: { create_invoice: { maxAttempts: 3 } },
  });
  const said = await inTurn(3, () => given.call("create_invoice", INVOICE));

  expect(said.map(({ outcome }) => outcome.attempts)).toEqual([1, 1, 1]);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test.each(["http", "stdio"] as const)(
  "T6-06 a reply after the deadline settles its own record, and nothing else breaks (%s)",
  async (kind) => {
    const broken: unknown[] = [];
    const hear = (error: unknown) => broken.push(error);
    process.on("unhandledRejection", hear);
    const given = await (kind === "http" ? overHttp : overStdio)({
      script: { create_invoice: [{ commit: { late: 450 }, reply: { late: 500 } }, { reply: "ok" }] },
    });
    const said = await inTurn(2, () => given.call("create_invoice", INVOICE));
    expect(kinds(said)).toEqual(["uncertain", "uncertain"]);
    const item = await given.until(said[0]?.outcome.operation ?? "", "succeeded");
    process.off("unhandledRejection", hear);

    expect(item.attempts).toBe(1);
    expect(broken).toEqual([]);
    expect(given.effects()).toHaveLength(1);
  },
);

test("T6-07 another provider's restart of the loop gets the stored success, whatever its call id and key order", async () => {
  const given = await overHttp({ policy: { create_invoice: { repeat: "recall" } } });
  const { customer, order, amount } = INVOICE;
  const first = await given.call("create_invoice", { customer, order, amount }, { runId: "r", toolCallId: "call_1" });
  const again = await given.call("create_invoice", { amount, order, customer }, { runId: "r", toolCallId: "toolu_9" });

  expect(again.outcome).toMatchObject({ kind: "succeeded", recalled: true, operation: first.outcome.operation });
  expect(again.result?.structuredContent).toEqual(first.result?.structuredContent);
  expect(given.effects()).toHaveLength(1);
});

test("T6-08 not started, known refusal and unknown are three outcomes, not one 'retryable'", async () => {
  const given = await overHttp({
    script: {
      create_invoice: [{ commit: "none", reply: { rpcError: { code: -32602, message: "no" } } }, { reply: "reset" }],
    },
  });
  const refused = await given.call("create_invoice", INVOICE);
  const unknown = await given.call("create_invoice", INVOICE);
  await given.server.server.crash();
  await sleep(20);
  const unstarted = await given.call("create_invoice", { ...INVOICE, order: "o-3" });

  expect(kinds([refused, unknown, unstarted])).toEqual(["rejected", "uncertain", "not_applied"]);
});
