/** The host stops waiting, is killed, or starts again: the record answers its next call. */
import { describe, expect, test } from "vitest";
import { CLIENTS, INVOICE, markOf, PAIRINGS, proxied, type Scene, textOf } from "./support.ts";

const LATE = { create_invoice: [{ reply: { late: 3_000 } }, { reply: "ok" }] } as const;
const recorded = (given: Scene) => given.recorded("succeeded");

describe.each(PAIRINGS)("%s", (pairing) => {
  test.each(pairing === "stdio to stdio" || pairing === "http to http" ? CLIENTS : (["v1"] as const))(
    "T5-05 W1-10 a host that timed out and calls again gets the recorded answer; its cancellation goes nowhere (%s)",
    async (client) => {
      const given = await proxied({ pairing, client, script: LATE });
      await expect(given.call("create_invoice", INVOICE, { timeout: 2_000 })).rejects.toThrow(/timed out/i);
      await recorded(given);
      const again = await given.call("create_invoice", INVOICE);
      const further = await given.call("create_invoice", INVOICE);

      expect(markOf(again)).toMatchObject({ kind: "succeeded", recalled: true });
      expect(again).toMatchObject({ structuredContent: { id: "inv_1" } });
      expect(textOf(again)).toMatch(/\[recalled\]/);
      expect(given.server.log.cancels()).toEqual([]);
      // It was received this time: the same call is a new wish now.
      expect(further).toMatchObject({ structuredContent: { id: "inv_2" } });
      expect(given.effects()).toBe(2);
    },
  );

  test("T8-01 a host that calls again while the first call is under way shares its one outcome", async () => {
    const given = await proxied({ pairing, script: { create_invoice: [{ reply: { late: 900 } }] } });
    const both = await Promise.all([given.call("create_invoice", INVOICE), given.call("create_invoice", INVOICE)]);

    expect(both.map((result) => result.structuredContent)).toEqual([{ id: "inv_1" }, { id: "inv_1" }]);
    expect(both.filter((result) => markOf(result).joined === true)).toHaveLength(1);
    expect(given.effects()).toBe(1);
  });

  test("W1-04 a call that the host takes back is neither told to the server nor lost", async () => {
    const given = await proxied({ pairing, script: LATE });
    const user = new AbortController();
    const calling = given.call("create_invoice", INVOICE, { signal: user.signal });
    await given.landed(1);
    user.abort("enough");
    await expect(calling).rejects.toThrow();
    await recorded(given);
    const again = await given.call("create_invoice", INVOICE);

    expect(markOf(again).recalled).toBe(true);
    expect(given.server.log.cancels()).toEqual([]);
    expect(given.effects()).toBe(1);
  });

  test("T9-01 a host that was started again after a timeout, with a new proxy and session, is answered from the record", async () => {
    const given = await proxied({ pairing, script: LATE });
    await expect(given.call("create_invoice", INVOICE, { timeout: 2_000 })).rejects.toThrow(/timed out/i);
    await recorded(given);
    await given.close();
    const host = await given.again();
    const again = await host.call("create_invoice", INVOICE);

    expect(markOf(again)).toMatchObject({ recalled: true, kind: "succeeded" });
    expect(given.effects()).toBe(1);
  });

  test("a proxy that is killed in the middle of a write leaves a record, and the next one answers from it", async () => {
    const script = { create_invoice: [{ reply: { late: 5_000 } }, { reply: "ok" }] } as const;
    const given = await proxied({ pairing, lease: 2_000, script });
    const lost = given.call("create_invoice", INVOICE, { timeout: 3_000 });
    lost.catch(() => {});
    await given.landed(1);
    await given.killProxy();
    await expect(lost).rejects.toThrow();
    const host = await given.again();
    const again = await host.call("create_invoice", INVOICE);
    const other = await host.call("create_invoice", { ...INVOICE, order: "o-2" });

    expect(again.isError).toBe(true);
    expect(textOf(again)).toMatch(/not sent, so that the action does not happen twice/);
    expect(other).toMatchObject({ structuredContent: { id: "inv_2" } });
    expect(given.effects()).toBe(2);
  });
});

test.each(["stdio to stdio", "http to stdio"] as const)(
  "W1-05 T4-13 a server that is killed in the middle of a write leaves doubt, starts again, and later calls work (%s)",
  async (pairing) => {
    const given = await proxied({ pairing, script: { create_invoice: [{ reply: "never" }, { reply: "ok" }] } });
    const calling = given.call("create_invoice", INVOICE);
    await given.landed(1);
    process.kill(given.server.log.arrivals()[0]?.pid ?? 0, "SIGKILL");
    const first = await calling;
    const again = await given.call("create_invoice", INVOICE);
    const other = await given.call("create_invoice", { ...INVOICE, order: "o-2" });

    expect(markOf(first).kind).toBe("uncertain");
    expect(markOf(again).heldBy).toBe(markOf(first).operation);
    expect(other).toMatchObject({ structuredContent: { id: "inv_2" } });
    expect(given.said()).toMatch(/was ended by SIGKILL/);
    expect(given.effects()).toBe(2);
  },
);

test.each(["http to http", "stdio to http"] as const)(
  "T4-12 T4-13 a server that comes back without its sessions serves later calls, and the write before stays in doubt (%s)",
  async (pairing) => {
    const given = await proxied({ pairing, script: { create_invoice: [{ reply: "never" }, { reply: "ok" }] } });
    const calling = given.call("create_invoice", INVOICE);
    await given.landed(1);
    await given.server.crash?.();
    const first = await calling;
    await given.server.restart?.();
    const host = pairing === "stdio to http" ? given : await given.again();
    if (pairing === "stdio to http") await host.client.listTools();
    const again = await host.call("create_invoice", INVOICE);
    const other = await host.call("create_invoice", { ...INVOICE, order: "o-2" });

    expect(markOf(first).kind).toBe("uncertain");
    expect(markOf(again).heldBy).toBe(markOf(first).operation);
    expect(other).toMatchObject({ structuredContent: { id: "inv_2" } });
    expect(given.effects()).toBe(2);
  },
);

test("a deadline of the operator's answers before the host gives up", async () => {
  const given = await proxied({ pairing: "stdio to stdio", script: LATE, options: { deadline: 300 } });
  const first = await given.call("create_invoice", INVOICE);
  await recorded(given);
  const again = await given.call("create_invoice", INVOICE);

  expect(markOf(first).kind).toBe("uncertain");
  expect(markOf(again)).toMatchObject({ kind: "succeeded", recalled: true });
});

test("the id that Claude Code gives a tool call answers it for good, and never another call", async () => {
  const given = await proxied({ pairing: "stdio to stdio" });
  const meta = { "claudecode/toolUseId": "toolu_1" };
  const first = await given.call("create_invoice", INVOICE, { meta });
  const same = await given.call("create_invoice", INVOICE, { meta });
  const other = await given.call("create_invoice", INVOICE, { meta: { "claudecode/toolUseId": "toolu_2" } });

  expect(markOf(same)).toMatchObject({ recalled: true });
  expect(same.structuredContent).toEqual(first.structuredContent);
  expect(other).toMatchObject({ structuredContent: { id: "inv_2" } });
  expect(given.effects()).toBe(2);
});
