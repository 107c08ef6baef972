/** A desktop host: no thread ids, no run ids. A reply is lost; the user asks again in a new chat. */
import { expect, test } from "vitest";
import { scriptedServer } from "./stage/servers.ts";
import { session } from "./stage/session.ts";

const INVOICE = { customer: "acme", order: "o-1", amount: 12 };
const MINUTE = ["a minute without an answer", 61_000] as const;

test("a desktop host without any ids does not send a lost invoice again from a new chat", async () => {
  const stage = await session("A desktop host without thread ids: a lost reply, asked again in a new chat");
  const script = { create_invoice: [{ reply: "never" as const }, {}] };
  const billing = await stage.connect("billing", scriptedServer({ script }), "v2");
  await billing.call("create_invoice", INVOICE, { passes: MINUTE });
  await stage.passes("a new chat, ten minutes later", 600_000);
  const again = await billing.call("create_invoice", INVOICE);
  const other = await billing.call("create_invoice", { ...INVOICE, order: "o-2" });
  await stage.queue();
  expect(again.outcome?.heldBy).toBeDefined();
  expect(other.isError).toBe(false);
  expect(billing.effects()).toBe(2);

  stage.page.scene("With identityArgs: what makes two calls the same invoice, whatever the words");
  const tools = { create_invoice: { identityArgs: ["/customer", "/order"] } };
  const named = await session("", { page: stage.page, servers: { billing: { tools } } });
  const safe = await named.connect("billing", scriptedServer({ script }), "v2");
  await safe.call("create_invoice", INVOICE, { passes: MINUTE });
  await named.passes("a new chat, ten minutes later", 600_000);
  const reworded = await safe.call("create_invoice", { ...INVOICE, memo: "second try" });
  await named.queue();
  expect(reworded.outcome).toMatchObject({ differentArguments: true });
  expect(safe.effects()).toBe(1);

  stage.page.scene(
    "A host that never calls guard.start(): the doubt itself starts the sweep that brings it to a person",
  );
  const idle = await session("", { page: stage.page, neverStarted: true });
  const quiet = await idle.connect("billing", scriptedServer({ script }), "v2");
  await quiet.call("create_invoice", INVOICE, { passes: MINUTE });
  await idle.passes("ten minutes later", 600_000);
  await idle.queue();
  const { items } = await idle.guard.queue.list();
  expect(items).toMatchObject([{ state: "unresolved" }]);
  await stage.ends("08-desktop-host.txt");
});
