/** A real guard and a real receiver: what enters the queue is told, and telling it is in nobody's way. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { webhook } from "../../adapters/webhook/index.ts";
import { createGuard, guardFunction } from "../../src/index.ts";
import { runExample } from "../docs/support/run-example.ts";
import { receiver, SECRET } from "./receiver.ts";

function lossy(url: string) {
  const tools = { pay: { settle: 50, deadline: 500 } };
  const guard = createGuard({
    store: memoryStore(),
    secret: SECRET,
    sweepEvery: "1h",
    servers: { billing: { tools } },
  });
  onTestFinished(() => guard.close({ within: 0 }));
  const hook = webhook(guard, { url, secret: SECRET, pageUrl: "https://queue.acme.example" });
  onTestFinished(() => hook.close({ within: 0 }));
  const pay = guardFunction(guard, { server: "billing", tool: "pay" }, async (_: { card: string }) => {
    throw new Error("the reply was lost");
  });
  return { guard, pay };
}

test("a write that nothing can settle is told once it waits for a person (S21)", async () => {
  const to = await receiver();
  const { guard, pay } = lossy(to.url);
  const { operation } = await pay({ card: "4242 4242 4242 4242" });
  await expect.poll(() => guard.sweep().then(() => to.posts.length), { timeout: 10_000 }).toBe(1);

  const [post] = to.posts;
  const { version, reason, state } = await guard.queue.show(operation);
  expect(post?.event).toMatchObject({
    kind: "queued",
    operation,
    version,
    reason,
    state,
    server: "billing",
    tool: "pay",
  });
  expect(post?.event.link).toBe(`https://queue.acme.example/items/${operation}`);
  expect(post?.body).not.toContain("4242");
});

test("a receiver that hangs delays no call and no round of recovery", async () => {
  const to = await receiver(["hang"]);
  const { guard, pay } = lossy(to.url);
  await pay({ card: "1" });
  await expect.poll(() => guard.sweep().then(() => to.posts.length), { timeout: 10_000 }).toBe(1);
  expect((await pay({ card: "2" })).kind).toBe("uncertain");
  await guard.sweep();
  expect((await guard.queue.list()).items.length).toBeGreaterThan(0);
});

test("the example of docs/webhook.md sends, receives and checks", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "indoubt-webhook-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const { stdout } = await runExample("webhook.ts", { cwd, env: { INDOUBT_WEBHOOK_SECRET: SECRET } });
  expect(stdout).toMatch(/^queued: psp\.refund \(\w+\) https:\/\/queue\.acme\.example\/items\/\w+\n$/);
});
