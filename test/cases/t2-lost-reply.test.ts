/** T2: stream, socket, process or host dies around the commit. */
import { expect, test } from "vitest";
import { applied, type ReconcileHook, unclear } from "../../src/index.ts";
import { evidenceOf, INVOICE, inTurn, kinds, overHttp, overStdio, READ, sleep } from "./harness.ts";
import { byOrder, read, write } from "./tools.ts";

const PATIENT = { deadline: 30_000 };

test.each(["v1", "v2 2026"] as const)(
  "T2-01 a stream that ends without a result is told at its end, not at the deadline, and not as a timeout (%s)",
  async (client) => {
    const given = await overHttp({
      client,
      script: { create_invoice: [{ reply: "close_stream" }] },
      policy: { create_invoice: PATIENT },
      connect: { fetch: true },
    });
    const said = await given.call("create_invoice", INVOICE);

    expect(said.kind).toBe("uncertain");
    const [evidence] = evidenceOf(await given.guard.queue.show(said.outcome.operation));
    expect(evidence).toMatchObject({ kind: "silence", cause: expect.stringMatching(/stream_ended|connection_reset/) });
    expect(given.effects()).toHaveLength(1);
  },
);

test("T2-01 where the client stays silent about the end, our own deadline still fires", async () => {
  const given = await overHttp({ answers: "sse", script: { create_invoice: [{ reply: "sse_end" }] } });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.kind).toBe("uncertain");
  expect(given.effects()).toHaveLength(1);
});

test("T2-02 an abort by the user is not proof that nothing happened, and asking again sends nothing", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "never" }] },
    policy: { create_invoice: PATIENT },
  });
  const user = new AbortController();
  const calling = given.call("create_invoice", INVOICE, { signal: user.signal });
  await given.landed(1);
  user.abort();
  const first = await calling;
  const second = await given.call("create_invoice", INVOICE);

  expect(first.outcome).toMatchObject({ kind: "uncertain" });
  expect(evidenceOf(await given.guard.queue.show(first.outcome.operation))).toEqual([
    { kind: "silence", cause: "caller_aborted" },
  ]);
  expect(second.outcome.heldBy).toBe(first.outcome.operation);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("T2-04 an accepted call whose answer goes nowhere is not sent once more if it writes, and is if it only reads", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "202" }], list_files: [{ reply: { status: 502, when: "after" } }, {}] },
  });
  const wrote = await given.call("create_invoice", INVOICE);
  const listed = await given.call("list_files", {}, { deadline: 5_000 });

  expect(kinds([wrote, listed])).toEqual(["uncertain", "succeeded"]);
  expect(given.arrivals("create_invoice")).toBe(1);
  expect(given.arrivals("list_files")).toBe(2);
});

test("T2-05 a restart that cannot be looked up while the server is away is settled when it is back, never sent again", async () => {
  let reachable = false;
  // Evidence such as "uptime below the age of the intent"; the destination is away for a while.
  const uptime: ReconcileHook = async () => (reachable ? applied({ ref: "boot-2" }) : unclear("unreachable"));
  const given = await overHttp({
    tools: [write("restart_core")],
    script: { restart_core: [{ reply: "reset" }] },
    policy: { restart_core: { reconcile: { look: uptime, settle: 50 } } },
  });
  const said = await inTurn(3, () => given.call("restart_core", {}));
  expect(kinds(said)).toEqual(["uncertain", "uncertain", "uncertain"]);
  await given.guard.sweep();
  reachable = true;
  const item = await given.until(said[0]?.outcome.operation ?? "", "applied");

  expect(item.ref).toBe("boot-2");
  expect(given.arrivals("restart_core")).toBe(1);
});

test("T2-06 a killed stdio server puts all its writes in flight in doubt at once, and nothing respawns or resends", async () => {
  const given = await overStdio({
    script: { create_invoice: [{ reply: "never" }], send_email: [{ reply: "kill_process" }] },
    policy: { create_invoice: PATIENT, send_email: PATIENT },
  });
  const invoice = given.call("create_invoice", INVOICE);
  await given.landed(1, "create_invoice");
  const mail = await given.call("send_email", { to: "a", subject: "b", body: "c" });

  expect(kinds([await invoice, mail])).toEqual(["uncertain", "uncertain"]);
  for (const { outcome } of [await invoice, mail]) {
    expect(evidenceOf(await given.guard.queue.show(outcome.operation))).toEqual([
      { kind: "silence", cause: "connection_closed" },
    ]);
  }
  expect(given.arrivals()).toBe(2);
});

test.each([
  ["a truncated body", "truncated"],
  ["an answer with another id", "wrong_id"],
  ["an empty 200", "empty_200"],
] as const)(
  "T2-07 %s is doubt, not a failed tool, and the model reads that it may have happened",
  async (_title, reply) => {
    const given = await overHttp({ script: { create_invoice: [{ reply }] }, connect: { fetch: true } });
    const said = await given.call("create_invoice", INVOICE);

    expect(said.kind).toBe("uncertain");
    expect(said.text).toMatch(/may (or may not|already) have/i);
    expect(given.effects()).toHaveLength(1);
  },
);

test("T2-08 a reset is doubt wherever it came, only a refused connection is proof that nothing was sent", async () => {
  // Disputed: a reset before the request was read. DESIGN section 5 decides: only refused, DNS and TLS are proof.
  const given = await overHttp({ path: [{ reset: "before" }, { reset: "after" }] });
  const said = await inTurn(2, (n) => given.call("create_invoice", { ...INVOICE, order: `o-${n}` }));

  expect(kinds(said)).toEqual(["uncertain", "uncertain"]);
  expect(given.server.path?.arrivals()).toHaveLength(2);
  expect(given.effects()).toHaveLength(1);
});

test("T2-09 a refused connection and a stalled server are told apart, and a read is never in doubt", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "never" }], find_invoice: [{ reply: "never" }] },
  });
  const stalled = await given.call("create_invoice", INVOICE);
  const reading = await given.call("find_invoice", { order: "o-1" });
  await given.server.server.crash();
  const refused = await given.call("create_invoice", { ...INVOICE, order: "o-2" });

  expect(kinds([stalled, reading, refused])).toEqual(["uncertain", "failed", "not_applied"]);
  expect([stalled.outcome, refused.outcome]).toMatchObject([{ reason: "silence" }, { reason: "never_sent" }]);
  expect(refused.text).toContain("[not_applied]");
  expect(given.effects()).toHaveLength(1);
});

test.each(["before", "after"] as const)(
  "T2-10 permission for many attempts does not allow a resend after a reset %s the server answered",
  async (when) => {
    const given = await overHttp({
      path: [{ reset: when }, "forward"],
      policy: { create_invoice: { maxAttempts: 5 } },
    });
    const said = await inTurn(3, () => given.call("create_invoice", INVOICE));

    expect(kinds(said)).toEqual(["uncertain", "uncertain", "uncertain"]);
    expect(given.server.path?.arrivals()).toHaveLength(1);
  },
);

test("T2-10 what was provably not sent goes out once the server takes connections again", async () => {
  // The 2026 era has no session that a restart could lose.
  const given = await overHttp({ client: "v2 2026", policy: { create_invoice: { deadline: 5_000 } } });
  await given.server.server.crash();
  const calling = given.call("create_invoice", INVOICE);
  await sleep(50);
  await given.server.server.restart();

  const said = await calling;
  expect(given.arrivals("create_invoice")).toBe(1);
  expect(said.kind).toBe("succeeded");
});

test("T2-11 a server that dies of its own big answer is not restarted into the same death", async () => {
  const given = await overStdio({
    script: { create_invoice: [{ reply: "kill_process" }] },
    policy: { create_invoice: { identityArgs: ["/order"], reconcile: byOrder, repeat: "recall" } },
  });
  const first = await given.call("create_invoice", INVOICE);
  expect(first.kind).toBe("uncertain");
  const client = await given.reconnect();
  const again = await client.call("create_invoice", INVOICE);
  const third = await client.call("create_invoice", INVOICE);

  expect([again, third].map(({ _meta }) => _meta)).toMatchObject([
    { "indoubt/outcome": { kind: "applied" } },
    { "indoubt/outcome": { kind: "applied", recalled: true } },
  ]);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("T2-03 a call whose owner never comes back does not stay in flight", async () => {
  const given = await overHttp({
    tools: [read("find_core", "restart_core"), write("restart_core")],
    script: { restart_core: [{ reply: "never" }] },
    policy: { restart_core: {}, find_core: READ },
  });
  const said = await given.call("restart_core", {});
  await given.client.close();

  expect((await given.until(said.outcome.operation, "unresolved")).reason).toBe("no_way_to_find_out");
  expect(given.arrivals("restart_core")).toBe(1);
});
