/** T5: a proxy, gateway or edge between us and the server repeats, cuts or invents replies. */
import { expect, test, vi } from "vitest";
import { evidenceOf, INVOICE, inTurn, kinds, overHttp, READ, verdicts } from "./harness.ts";
import { byOrder } from "./tools.ts";

const LOOKED_INTO = {
  find_invoice: READ,
  create_invoice: {
    identityArgs: ["/order"],
    reconcile: { look: byOrder, settle: 200, staleness: 50, absentReads: 1 },
  },
} as const;

test("T5-01 a path that delivers one call twice is found out: two effects of one success are a conflict for a person", async () => {
  const { reconcile, ...identity } = LOOKED_INTO.create_invoice;
  const given = await overHttp({
    path: [{ repeats: 1 }],
    policy: { ...LOOKED_INTO, create_invoice: { ...identity, reconcile, verify: "after_success" } },
  });
  const { kind, outcome } = await given.call("create_invoice", INVOICE);
  expect([kind, given.effects("create_invoice").length]).toEqual(["succeeded", 2]);

  await vi.waitFor(async () => {
    await given.guard.sweep();
    expect(await given.queue()).toHaveLength(1);
  }, 8_000);
  const item = await given.guard.queue.show(outcome.operation);
  expect([item.conflict, item.reason, item.attempts]).toEqual([true, "more_effects_than_one", 1]);
});

test.each(["v1", "v2", "v2 2026"] as const)(
  "T5-02 a gateway that ends takes every write with it: each is in doubt on a record of its own (%s)",
  async (client) => {
    const given = await overHttp({
      client,
      script: { create_invoice: [{ commit: { late: 500 } }], send_email: [{ commit: { late: 500 } }] },
      path: ["hang"],
      policy: { create_invoice: { deadline: 20_000 }, send_email: { deadline: 20_000 } },
    });
    const other = await given.another(given.store);
    const calls = [
      given.call("create_invoice", INVOICE),
      given.call("create_invoice", { ...INVOICE, order: "o-2" }),
      given.call("send_email", { to: "a@example.com", subject: "hello", body: "hello" }),
      other.call("create_invoice", { ...INVOICE, order: "o-3" }),
    ];
    await given.server.log.waitFor(({ arrivals }) => arrivals().length === 4, 5_000);
    await given.server.path?.close();
    const all = await Promise.all(calls);

    expect(verdicts(all)).toEqual(["in doubt", "in doubt", "in doubt", "in doubt"]);
    expect(new Set(all.map(({ outcome }) => outcome.operation)).size).toBe(4);
    await given.landed(4);
    expect(given.arrivals()).toBe(4);
  },
);

test("T5-03 one reply in five comes as a 504: each write is found at the destination at once, and none waits for a person", async () => {
  const lost = { status: 504, when: "after" } as const;
  const given = await overHttp({
    path: ["forward"],
    policy: LOOKED_INTO,
  });
  const rounds = await inTurn(4, async (round) => {
    // The look that follows the lost reply passes.
    given.server.path?.plan("forward", "forward", lost, "forward", "forward", "forward");
    return inTurn(5, (at) => given.call("create_invoice", { ...INVOICE, order: `o-${round}-${at}` }));
  });
  const all = rounds.flat();

  expect(kinds(all).filter((kind) => kind === "applied")).toHaveLength(4);
  expect(kinds(all).filter((kind) => kind === "succeeded")).toHaveLength(16);
  expect(await given.queue()).toEqual([]);
  expect([given.arrivals("create_invoice"), given.effects("create_invoice").length]).toEqual([20, 20]);
});

test.each(["before", "after"] as const)(
  "T5-07 a gateway that says to try again, %s the write: what comes again inside the settle window is parked",
  async (when) => {
    const body = '{"error":"Temporarily unavailable. Please retry your request."}';
    const retry = { status: 503, when, headers: { "retry-after": "1", "content-type": "application/json" }, body };
    const given = await overHttp({ path: [retry, "forward"], policy: { create_invoice: { settle: 30_000 } } });
    const [first, ...repeats] = await inTurn(3, () => given.call("create_invoice", INVOICE));

    expect(evidenceOf(await given.guard.queue.show(first?.outcome.operation ?? ""))).toEqual([
      { kind: "http_status", status: 503 },
    ]);
    expect(first?.kind).toBe("uncertain");
    expect(repeats.map(({ outcome }) => [outcome.kind, outcome.heldBy])).toEqual([
      ["uncertain", first?.outcome.operation],
      ["uncertain", first?.outcome.operation],
    ]);
    expect(given.server.path?.arrivals()).toHaveLength(1);
    expect(given.effects("create_invoice")).toHaveLength(when === "after" ? 1 : 0);
  },
);
