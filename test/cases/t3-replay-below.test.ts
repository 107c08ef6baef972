/** T3: an HTTP library, an SDK, the server or the protocol's own text sends again below us. */
import { expect, test } from "vitest";
import { INVOICE, inTurn, kinds, overHttp, sleep } from "./harness.ts";
import { byOrder, HONOURS_KEYS, INVOICE_TOOL, reviewed } from "./tools.ts";

test.each([false, true])(
  "T3-01 a kept-alive socket that is reset after the commit causes no second arrival (guardFetch: %s)",
  async (fetch) => {
    const given = await overHttp({ path: ["keepalive_reset"], connect: { fetch } });
    const said = await inTurn(3, () => given.call("create_invoice", INVOICE));

    expect(kinds(said)).toEqual(["uncertain", "uncertain", "uncertain"]);
    expect(given.arrivals("create_invoice")).toBe(1);
    expect(given.effects()).toHaveLength(1);
  },
);

test.each([
  ["v2 2026", "sse_end"],
  ["v2 2026", "sse_reset"],
  ["v2 2026", "close_stream"],
  ["v2", "sse_end"],
  ["v1", "sse_end"],
] as const)("T3-02 %s: a broken stream (%s) is not a reason to issue a write again", async (client, reply) => {
  // The 2026-07-28 changelog tells clients to re-issue; a write is a deliberate exception, decided by contract.
  const given = await overHttp({ client, answers: "sse", script: { create_invoice: [{ reply }, { reply: "ok" }] } });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.kind).toBe("uncertain");
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("T3-02 a reviewed contract is what allows the re-issue, with the same key", async () => {
  const given = await overHttp({
    client: "v2 2026",
    script: { create_invoice: [{ reply: "close_stream" }, { reply: "ok" }] },
    destination: HONOURS_KEYS,
    policy: { create_invoice: { identityArgs: ["/order"], contract: reviewed(INVOICE_TOOL), deadline: 5_000 } },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.outcome).toMatchObject({ kind: "succeeded", basis: "contract", attempts: 2 });
  expect(said.text).toContain("[resent]");
  const keys = given.server.log.arrivals("create_invoice").map((arrival) => arrival.arguments.idempotency_key);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).toEqual(expect.any(String));
  expect(given.effects()).toHaveLength(1);
});

test("T3-03 the record is not keyed on the request id: the same call under a new id is answered from the record", async () => {
  const given = await overHttp({ client: "v2 2026", script: { create_invoice: [{ reply: "close_stream" }, {}] } });
  const first = await given.call("create_invoice", INVOICE);
  const second = await (await given.reconnect()).call("create_invoice", INVOICE);

  expect(first.kind).toBe("uncertain");
  expect(second._meta).toMatchObject({ "indoubt/outcome": { heldBy: first.outcome.operation } });
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("T3-05 a server that did it four times for one call is found out by the look after the success", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ commit: { times: 4 } }] },
    policy: { create_invoice: { identityArgs: ["/order"], reconcile: byOrder, verify: "after_success" } },
  });
  const conflicts: unknown[] = [];
  given.guard.on("conflict", (conflict) => conflicts.push(conflict));
  const said = await given.call("create_invoice", INVOICE);
  // We cannot prevent it; exactly once is not claimed.
  expect(said.kind).toBe("succeeded");
  await sleep(20);
  await given.guard.sweep();

  const item = await given.guard.queue.show(said.outcome.operation);
  expect(item).toMatchObject({ conflict: true, reason: "more_effects_than_one" });
  expect(await given.queue()).toEqual([item.id]);
  expect(await given.store.suspensions()).toMatchObject([{ tool: "create_invoice", reason: "more_effects_than_one" }]);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("T3-09 a lookup that counts more effects than sends settles nothing quietly", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ commit: { times: 2 }, reply: "never" }] },
    policy: { create_invoice: { identityArgs: ["/order"], reconcile: byOrder } },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.kind).toBe("applied");
  expect(await given.guard.queue.show(said.outcome.operation)).toMatchObject({ conflict: true, attempts: 1 });
  expect(await given.queue()).toEqual([said.outcome.operation]);
});

const WWW = { "www-authenticate": 'Bearer error="invalid_token"' };

// That our own record says so, too, is in known/: it does not yet.
test.each([
  ["before", 1],
  ["after", 2],
] as const)(
  "T3-08 a token that is refreshed %s the commit stays one operation, and the path saw two sends",
  async (when, effects) => {
    const given = await overHttp({
      client: "v2",
      path: [{ status: 401, when, headers: WWW }, "forward"],
      policy: { create_invoice: { deadline: 5_000 } },
      connect: { fetch: true, authProvider: { token: async () => "fresh", onUnauthorized: async () => {} } },
    });
    const said = await given.call("create_invoice", INVOICE);

    expect(said.outcome).toMatchObject({ kind: "succeeded" });
    expect(given.server.path?.arrivals()).toHaveLength(2);
    // The documented limit: a gateway that says 401 after it forwarded the call breaks assumption "401 comes before work".
    expect(given.effects()).toHaveLength(effects);
  },
);

test("T3-10 a release that changed the tool takes the permission to resend away, not the call", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "close_stream" }, { reply: "ok" }] },
    destination: HONOURS_KEYS,
    policy: {
      create_invoice: {
        identityArgs: ["/order"],
        contract: reviewed({ ...INVOICE_TOOL, annotations: { idempotentHint: true } }),
        deadline: 2_000,
      },
    },
  });
  const warnings: string[] = [];
  given.guard.on("warning", ({ message }) => warnings.push(message));
  const said = await given.call("create_invoice", INVOICE);

  expect(said.kind).toBe("uncertain");
  expect(warnings.join()).toContain("suspended until a person lifts it");
  expect(await given.guard.suspensions.list()).toMatchObject([{ tool: "create_invoice", reason: "drift" }]);
  expect(given.arrivals("create_invoice")).toBe(1);
});
