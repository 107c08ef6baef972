/** W2: people and clicks that race on one item, with a real MCP server as the judge. */
import { expect, onTestFinished, test } from "vitest";
import { startPage } from "../../adapters/surfaces/page/index.ts";
import { INVOICE, overHttp } from "../cases/harness.ts";
import { visitor } from "./support/visitor.ts";

test("W2-01 two clicks on resend and one on give up, from two browsers at once: one wins, at most one send, all on record", async () => {
  for (let round = 0; round < 5; round++) {
    const given = await overHttp({ script: { create_invoice: [{ commit: "none", reply: "reset" }, {}] } });
    const { outcome } = await given.call("create_invoice", INVOICE);
    const { id, version } = await given.until(outcome.operation, "unresolved");
    const page = await startPage({ guard: given.guard, port: 0, operator: "on-call" });
    onTestFinished(() => page.close());
    const [onCall, finance] = [visitor(page), visitor(page)];
    for (const who of [onCall, finance]) await who.signIn(page.invite());
    const click = (who: typeof onCall, verdict: string, decision: string) =>
      who.post(`/items/${id}/resolve`, { version: String(version), verdict, reason: `looked: ${decision}`, decision });

    const replies = await Promise.all([
      click(onCall, "resend", "decision-on-call"),
      click(onCall, "resend", "decision-on-call"),
      click(finance, "abandon", "decision-finance"),
    ]);
    await given.guard.sweep();
    const end = await given.until(id, "succeeded", "abandoned");
    const decided = end.audit.filter(({ actor }) => actor !== undefined);
    expect(decided).toHaveLength(1);
    const [byOnCall] = decided.map(({ decision }) => decision === "decision-on-call");
    expect(replies.map(({ status }) => status)).toEqual(byOnCall ? [303, 303, 409] : [409, 409, 303]);
    const [loser] = replies.filter(({ status }) => status === 409);
    expect(loser?.text).toContain(byOnCall ? "looked: decision-on-call" : "looked: decision-finance");
    expect(given.arrivals("create_invoice")).toBe(byOnCall ? 2 : 1);
    expect(given.effects("create_invoice")).toHaveLength(byOnCall ? 1 : 0);
  }
}, 60_000);
