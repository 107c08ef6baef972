/** Any host, any server: the same calls, the same answers, one effect each. */
import { describe, expect, test } from "vitest";
import { CLIENTS, INVOICE, markOf, PAIRINGS, proxied, textOf } from "./support.ts";

describe.each(PAIRINGS)("%s", (pairing) => {
  test.each(CLIENTS)("calls pass, each is one effect, and a delivered one may be made again (%s)", async (client) => {
    const given = await proxied({ pairing, client });
    const first = await given.call("create_invoice", INVOICE);
    const second = await given.call("create_invoice", INVOICE);

    expect(first).toMatchObject({ structuredContent: { id: "inv_1" } });
    expect(second).toMatchObject({ structuredContent: { id: "inv_2" } });
    expect(first._meta?.["indoubt/outcome" as never]).toBeUndefined();
    expect((await given.tools()).map(({ name }) => name)).toContain("find_invoice");
    expect(given.effects()).toBe(2);
  });

  test.each(CLIENTS)(
    "T4-10 a reply that is lost leaves doubt, and the next call is held, not sent (%s)",
    async (client) => {
      const lost = pairing.endsWith("http") ? "close_stream" : "kill_process";
      const given = await proxied({ pairing, client, script: { create_invoice: [{ reply: lost }, { reply: "ok" }] } });
      const first = await given.call("create_invoice", INVOICE);
      const second = await given.call("create_invoice", INVOICE);
      const other = await given.call("create_invoice", { ...INVOICE, order: "o-2" });

      expect(first.isError).toBe(true);
      expect(textOf(first)).toMatch(/outcome_uncertain.*may already have taken effect/s);
      expect(markOf(second).heldBy).toBe(markOf(first).operation);
      expect(other.isError).not.toBe(true);
      expect(given.effects()).toBe(2);
    },
  );
});
