/** A model may ask what became of a call, and is told about its own server and principal only. */
import { expect, test } from "vitest";
import { INVOICE, markOf, PAIRINGS, proxied, textOf } from "./support.ts";

test.each(PAIRINGS)("indoubt_status is there when asked for, and tells what is open (%s)", async (pairing) => {
  const lost = pairing.endsWith("http") ? "close_stream" : "kill_process";
  const given = await proxied({
    pairing,
    script: { create_invoice: [{ reply: lost }, { reply: "ok" }] },
    options: { statusTool: true },
  });
  const names = (await given.tools()).map(({ name }) => name);
  const before = await given.call("indoubt_status", {});
  const doubt = await given.call("create_invoice", INVOICE);
  const after = await given.call("indoubt_status", {});
  const one = await given.call("indoubt_status", { reference: markOf(doubt).operation });
  const none = await given.call("indoubt_status", { reference: "made_up" });

  expect(names).toEqual(expect.arrayContaining(["indoubt_status", "create_invoice", "find_invoice"]));
  expect(textOf(before)).toBe("No action of this server is open.");
  expect(textOf(after)).toContain(String(markOf(doubt).operation));
  expect(textOf(after)).toMatch(/may or may not have taken effect/);
  expect(textOf(one)).toMatch(/"create_invoice".*may or may not have taken effect/);
  expect(textOf(none)).toBe("No action with this reference is on record.");
  expect(given.server.log.arrivals("indoubt_status")).toEqual([]);
});

test("without being asked for, the tool list is the server's own", async () => {
  const given = await proxied({ pairing: "stdio to stdio" });

  expect((await given.tools()).map(({ name }) => name)).not.toContain("indoubt_status");
});
