/** W2: races in the manual queue. */
import { expect, test } from "vitest";
import type { Resolution } from "../../src/index.ts";
import { INVOICE, overHttp } from "./harness.ts";

test("W2-01 two clicks on resend and one on discard at the same time: one wins, the others see what is there now", async () => {
  const given = await overHttp({ script: { create_invoice: [{ commit: "none", reply: "reset" }, {}] } });
  const { outcome } = await given.call("create_invoice", INVOICE);
  const { id, version } = await given.until(outcome.operation, "unresolved");
  const click = (verdict: Resolution["verdict"], actor: string) =>
    given.guard.queue.resolve(id, { verdict, version, actor, reason: "looked" });
  const clicks = await Promise.allSettled([click("resend", "ann"), click("resend", "bob"), click("abandon", "eve")]);
  const lost = clicks.flatMap((settled) => (settled.status === "rejected" ? [settled.reason] : []));
  await given.guard.sweep();
  const end = await given.until(id, "succeeded", "abandoned");
  await given.guard.sweep();

  expect(lost).toHaveLength(2);
  for (const reason of lost)
    expect(reason).toMatchObject({ code: "RESOLUTION_CONFLICT", details: { version: version + 1 } });
  expect(given.arrivals("create_invoice")).toBe(end.state === "succeeded" ? 2 : 1);
});

test("W2-02 closing one entry while another arrives loses neither", async () => {
  const given = await overHttp({ script: { create_invoice: [{ reply: "reset" }] } });
  const first = await given.call("create_invoice", INVOICE);
  const { id, version } = await given.until(first.outcome.operation, "unresolved");
  const by = { actor: "ann", reason: "found it", ref: "inv_1" };
  const [, second] = await Promise.all([
    given.guard.queue.resolve(id, { verdict: "applied", version, ...by }),
    given.call("create_invoice", { ...INVOICE, order: "o-2" }),
  ]);
  await given.until(second.outcome.operation, "unresolved");

  expect(await given.queue()).toEqual([second.outcome.operation]);
  expect((await given.guard.queue.show(id)).state).toBe("applied");
});
