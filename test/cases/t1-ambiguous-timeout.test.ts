/** T1: the caller's clock ran out, the write landed or lands later, somebody repeats it. */
import { expect, test } from "vitest";
import { absent, applied, partial, type ReconcileHook, unclear } from "../../src/index.ts";
import { INVOICE, inTurn, kinds, objectsIn, overHttp, overStdio, READ, sleep } from "./harness.ts";
import { byOrder, read, write } from "./tools.ts";

const CLUSTER = [write("create_cluster"), read("find_cluster", "create_cluster")];
const byName: ReconcileHook = async (intent, { call }) => {
  const [found] = objectsIn(await call("find_cluster", { name: intent.arguments.name ?? "" }), "found");
  return found ? applied({ ref: String(found.id) }) : absent();
};

test.each(["v1", "v2"] as const)(
  "T1-01 a cluster that is still pending counts as created, and is not created again (%s)",
  async (client) => {
    const given = await overStdio({
      client,
      tools: CLUSTER,
      script: { create_cluster: [{ reply: "never" }] },
      destination: { failReads: 1 },
      // In process the default lets a delivered success be repeated; an operator who does not want that says so.
      policy: { create_cluster: { identityArgs: ["/name"], reconcile: byName, repeat: "recall" }, find_cluster: READ },
    });
    const said = await inTurn(3, () => given.call("create_cluster", { name: "prod" }));

    expect(kinds(said)).toEqual(["uncertain", "applied", "applied"]);
    expect(said[1]?.text).toContain("create_cluster_1");
    expect(said[2]?.outcome.recalled).toBe(true);
    expect(given.arrivals("create_cluster")).toBe(1);
    expect(given.effects("create_cluster")).toHaveLength(1);
  },
);

test("T1-02 a tool that never answers is looked up, and the model hears the reference instead of a failure", async () => {
  const given = await overStdio({
    script: { create_invoice: [{ reply: "never" }] },
    policy: { create_invoice: { identityArgs: ["/order"], reconcile: byOrder, repeat: "recall" } },
  });
  const said = await inTurn(2, () => given.call("create_invoice", INVOICE));

  expect(kinds(said)).toEqual(["applied", "applied"]);
  expect(said[0]?.text).toContain("inv_1");
  expect(given.effects("create_invoice")).toHaveLength(1);
});

test("T1-03 a page whose title exists while its body is incomplete is told as partial, for a person to repair", async () => {
  const wholePage: ReconcileHook = async (intent, { call }) => {
    const [page] = objectsIn(await call("find_page", { name: intent.arguments.name ?? "" }), "found");
    if (!page) return unclear("no page");
    const body = page.body === intent.arguments.body ? "applied" : "absent";
    return body === "applied"
      ? applied()
      : partial({
          items: [
            { item: "page", verdict: "applied" },
            { item: "body", verdict: body },
          ],
        });
  };
  const given = await overHttp({
    tools: [write("create_page"), read("find_page", "create_page")],
    destination: { unique: { tool: "create_page", field: "name", clash: "rename" } },
    script: { create_page: [{ commit: { partial: 1 }, reply: "never" }, { reply: "ok" }] },
    policy: {
      create_page: { identityArgs: ["/name"], reconcile: { look: wholePage, settle: 100, staleness: 0 } },
      find_page: READ,
    },
  });
  const create = () => given.call("create_page", { name: "plan", body: "two halves" });
  const first = await create();
  // The other half may still arrive: a missing part counts after quiescence only.
  expect(first.kind).toBe("uncertain");
  await given.until(first.outcome.operation, "partial");
  const said = await inTurn(2, create);

  expect(kinds(said)).toEqual(["partial", "partial"]);
  expect(said[0]?.text).toMatch(/page: applied.*body: absent/);
  expect(given.arrivals("create_page")).toBe(1);
  // DESIGN section 4: `partial` is a settled state that stays in the queue, not `unresolved`.
  expect(await given.queue()).toEqual([said[0]?.outcome.operation]);
});

test("T1-04 an email that nothing can look up waits for a person, without its body", async () => {
  const mail = { to: "a@example.test", subject: "hello", body: "a private matter" };
  const given = await overHttp({
    script: { send_email: [{ reply: "never" }] },
    policy: { send_email: { identityArgs: ["/to", "/subject"], redact: ["/body"] } },
  });
  const first = await given.call("send_email", mail);
  const second = await given.call("send_email", mail);

  expect(kinds([first, second])).toEqual(["uncertain", "uncertain"]);
  expect(second.outcome.heldBy).toBe(first.outcome.operation);
  const item = await given.until(first.outcome.operation, "unresolved");
  expect(await given.queue()).toEqual([item.id]);
  expect(item.arguments).toMatchObject({ to: mail.to, subject: mail.subject });
  expect(JSON.stringify(item)).not.toContain("private");
  expect((await given.call("send_email", mail)).kind).toBe("unresolved");
  // No key is invented: the server got the caller's arguments and nothing else.
  expect(given.server.log.arrivals("send_email").map((arrival) => arrival.arguments)).toEqual([mail]);
  expect(given.effects("send_email")).toHaveLength(1);
});

test("T1-05 a similar order at another price is held while the first is in doubt, by the declared identity", async () => {
  const given = await overHttp({
    tools: [write("submit_order")],
    script: { submit_order: [{ reply: "close_stream" }, { reply: "ok" }] },
    policy: { submit_order: { identityArgs: ["/symbol", "/side"] } },
  });
  const first = await given.call("submit_order", { symbol: "ACM", side: "buy", price: 10 });
  const second = await given.call("submit_order", { symbol: "ACM", side: "buy", price: 10.1 });
  const other = await given.call("submit_order", { symbol: "ACM", side: "sell", price: 11 });

  expect(kinds([first, second, other])).toEqual(["uncertain", "uncertain", "succeeded"]);
  expect(second.outcome).toMatchObject({ differentArguments: true, heldBy: first.outcome.operation });
  expect(second.text).toContain("This request was not sent");
  expect(given.effects("submit_order").map((effect) => effect.arguments.side)).toEqual(["buy", "sell"]);
});

test("T1-06 a charge that answers after the deadline is charged once, whatever id the second invocation has", async () => {
  const given = await overHttp({
    tools: [write("charge")],
    script: { charge: [{ reply: { late: 600 } }] },
    policy: { charge: { settle: "5s" } },
  });
  const first = await given.call("charge", { amount: 5 }, { runId: "r", toolCallId: "call_1" });
  const second = await given.call("charge", { amount: 5 }, { runId: "r", toolCallId: "call_2" });
  expect(kinds([first, second])).toEqual(["uncertain", "uncertain"]);
  const item = await given.until(first.outcome.operation, "succeeded");
  // Send time, deadline and reply are on record: the spacing of a duplicate can be told from it.
  expect(item.audit.map(({ row }) => row)).toEqual(["doubt", "ok"]);

  const third = await given.call("charge", { amount: 5 }, { runId: "r", toolCallId: "call_3" });
  expect(third.outcome).toMatchObject({ kind: "succeeded", recalled: true, operation: first.outcome.operation });
  expect(given.effects("charge")).toHaveLength(1);
});

test("T1-07 a host that gave up before us finds the record when it calls again, although it heard nothing the first time", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: { late: 250 } }] },
    connect: { by: "transport", timeout: 100 },
  });
  await expect(given.client.call("create_invoice", INVOICE)).rejects.toThrow();
  await sleep(350);
  const again = await given.call("create_invoice", INVOICE);

  expect(again.outcome).toMatchObject({ kind: "succeeded", recalled: true });
  expect(given.arrivals("create_invoice")).toBe(1);
  expect(given.effects("create_invoice")).toHaveLength(1);
});

test("T1-08 one booking keeps one id through attempts and repeats, and the chain goes on", async () => {
  const given = await overHttp({
    tools: [write("book"), write("confirm_email"), write("crm_update")],
    script: { book: [{ reply: { late: 450 } }] },
    policy: { book: {}, confirm_email: {}, crm_update: {} },
  });
  const first = await given.call("book", { room: 7 });
  const second = await given.call("book", { room: 7 });
  await given.until(first.outcome.operation, "succeeded");
  const third = await given.call("book", { room: 7 });
  const chain = [await given.call("confirm_email", { room: 7 }), await given.call("crm_update", { room: 7 })];

  expect([second.outcome.heldBy, third.outcome.operation]).toEqual([first.outcome.operation, first.outcome.operation]);
  expect(kinds(chain)).toEqual(["succeeded", "succeeded"]);
  expect(given.effects().map(({ tool }) => tool)).toEqual(["book", "confirm_email", "crm_update"]);
});
