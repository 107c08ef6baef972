/** The proxy's own connection asks the destination, and the host's next call is answered by what was found. */
import { describe, expect, test } from "vitest";
import { INVOICE, markOf, PAIRINGS, proxied, textOf } from "./support.ts";

const tools = {
  find_invoice: { effect: "read" },
  create_invoice: {
    identityArgs: ["/customer", "/order"],
    reconcile: {
      tool: "find_invoice",
      arguments: { order: "{{arguments/order}}" },
      found: { at: "/structuredContent/invoices", where: { "/order": "{{arguments/order}}" } },
      settle: 400,
      staleness: 50,
      absentReads: 1,
    },
  },
} as const;

describe.each(PAIRINGS)("%s", (pairing) => {
  const lost = pairing.endsWith("http") ? ("close_stream" as const) : ("kill_process" as const);

  test("C05 T2-06 a write whose reply was lost is found at the destination, and is not done again", async () => {
    const given = await proxied({ pairing, tools, script: { create_invoice: [{ reply: lost }, {}] } });
    const first = await given.call("create_invoice", INVOICE);
    if (markOf(first).kind === "uncertain") await given.recorded("applied");
    const again = markOf(first).kind === "uncertain" ? await given.call("create_invoice", INVOICE) : first;

    expect(markOf(again).kind).toBe("applied");
    expect(given.effects()).toBe(1);
  });

  test("T5-06 a write that never got there is found absent after the settle time, and the host may call again", async () => {
    const given = await proxied({ pairing, tools, script: { create_invoice: [{ commit: "none", reply: lost }, {}] } });
    const first = await given.call("create_invoice", INVOICE);
    let again = await given.call("create_invoice", INVOICE);
    for (const end = Date.now() + 15_000; again.isError === true && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      again = await given.call("create_invoice", INVOICE);
    }

    expect(textOf(first)).toMatch(/outcome_uncertain|not_applied/);
    expect(again.isError).not.toBe(true);
    expect(given.effects()).toBe(1);
  });
});
