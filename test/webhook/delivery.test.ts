/** Posts over a real connection: signed, repeated, bounded, given up; never in the way of a call. */
import { expect, onTestFinished, test } from "vitest";
import { type WebhookOptions, webhook } from "../../adapters/webhook/index.ts";
import { type Receiver, receiver, SECRET } from "./receiver.ts";

const ITEM = { operation: "op_1", version: 3, server: "billing", tool: "pay", state: "unresolved", reason: "silence" };

/** Says what a guard says, when the test wants it. */
function stand(to: Pick<Receiver, "url">, options: Partial<WebhookOptions> = {}) {
  const listeners = new Map<string, (seen: object) => void>();
  const warnings: string[] = [];
  const closing = new AbortController();
  const guard = {
    on(kind: string, listener: (seen: never) => void) {
      listeners.set(kind, listener as (seen: object) => void);
      return () => void listeners.delete(kind);
    },
    warn: (message: string) => void warnings.push(message),
    closing: closing.signal,
  };
  const hook = webhook(guard as never, { url: to.url, secret: SECRET, ...options });
  onTestFinished(() => hook.close({ within: 0 }));
  const say = (kind: string, seen: object = ITEM) => listeners.get(kind)?.(seen);
  return { hook, say, warnings, close: () => closing.abort() };
}

test("a post says what waits, since when and where to look, and nothing of the arguments", async () => {
  const to = await receiver();
  const urls = {
    pageUrl: "https://queue.acme.example/",
    urlTemplate: "https://dash.acme.example/{server}/{id}?t={tool}",
  };
  const { say } = stand(to, urls);
  say("queued", { ...ITEM, ageMs: 61_000.4, tool: "a b\u0000\n\u202ec\ud800", arguments: { card: "4242" } });
  const [post] = await to.got(1);
  expect(post?.event).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
    kind: "queued",
    at: expect.any(Number),
    server: "billing",
    tool: "a b c\ufffd",
    reason: "silence",
    operation: "op_1",
    version: 3,
    state: "unresolved",
    age_ms: 61_000,
    link: "https://queue.acme.example/items/op_1",
    dashboard: "https://dash.acme.example/billing/op_1?t=a%20b%20c%EF%BF%BD",
  });
  expect(post?.body).not.toContain("4242");
});

test("a template with what only the page knows gives no link instead of a broken one", async () => {
  const to = await receiver();
  const { say } = stand(to, { urlTemplate: "https://dash.acme.example/{key}" });
  say("queued");
  expect((await to.got(1))[0]?.event).not.toHaveProperty("dashboard");
});

test("two processes give one event the same id; another version or kind has another one", async () => {
  const to = await receiver();
  const [one, other] = [stand(to), stand(to)];
  for (const { say } of [one, other]) say("queued");
  one.say("queued", { ...ITEM, version: 4 });
  one.say("aged");
  const ids = (await to.got(4)).map(({ event }) => event.id);
  expect(new Set(ids).size).toBe(3);
});

test("an event that is told again while its post waits is posted once", async () => {
  const to = await receiver(["hang"]);
  const { say } = stand(to);
  say("queued");
  say("queued");
  say("conflict");
  expect((await to.got(2)).map(({ event }) => event.kind).sort()).toEqual(["conflict", "queued"]);
});

test("a receiver that fails for a while gets the same event again, signed anew", async () => {
  const to = await receiver([503, 204]);
  const { say, warnings } = stand(to);
  say("queued");
  const [first, second] = await to.got(2);
  expect(second?.body).toBe(first?.body);
  expect(Number(second?.headers["indoubt-timestamp"])).toBeGreaterThan(Number(first?.headers["indoubt-timestamp"]) - 1);
  expect(warnings).toEqual([]);
});

test("a receiver that says no, or sends elsewhere, is asked once, and the operator hears of it", async () => {
  const to = await receiver([401, 302]);
  const { say, warnings } = stand(to);
  say("queued");
  await expect.poll(() => warnings.length).toBe(1);
  say("aged");
  await expect.poll(() => warnings.length).toBe(2);
  expect(to.posts).toHaveLength(2);
  expect(warnings[0]).toMatch(/did not take "queued" of op_1: it answered with status 401\. Nothing is lost/);
  // The path of a webhook is often its secret.
  expect(warnings.join()).not.toContain("/hook");
});

test("a receiver that is down, or hangs, is given up after the retries with a warning", async () => {
  const down = stand({ url: "http://127.0.0.1:9/hook" }, { retries: 1 });
  const to = await receiver(["hang"]);
  const hung = stand(to, { retries: 0, timeout: 50 });
  down.say("queued");
  hung.say("queued");
  await expect.poll(() => [...down.warnings, ...hung.warnings].length, { timeout: 15_000 }).toBe(2);
  expect(down.warnings[0]).toMatch(/it cannot be reached/);
  expect(hung.warnings[0]).toMatch(/no answer within 50 ms/);
});

test("more than the backlog is dropped with one warning, and the rest arrives", async () => {
  const to = await receiver(["hang", "hang", "hang", "hang", 204]);
  const { say, warnings } = stand(to, { backlog: 2, timeout: 500 });
  for (let version = 1; version <= 9; version += 1) say("queued", { ...ITEM, version });
  expect(warnings).toEqual([expect.stringMatching(/2 wait, more are dropped/)]);
  const versions = new Set((await to.got(10)).map(({ event }) => event.version));
  expect([...versions].sort()).toEqual([1, 2, 3, 4, 5, 6]);
});

test("closing lets what waits go out, and takes nothing more", async () => {
  const to = await receiver();
  const { hook, say } = stand(to);
  for (let version = 1; version <= 9; version += 1) say("queued", { ...ITEM, version });
  await hook.close();
  expect(to.posts).toHaveLength(9);
  say("queued", { ...ITEM, version: 10 });
  await hook.close();
  expect(to.posts).toHaveLength(9);
});

test("closing ends within its time when the receiver hangs, and says what was given up", async () => {
  const to = await receiver(["hang"]);
  const { hook, say, warnings } = stand(to);
  for (let version = 1; version <= 6; version += 1) say("queued", { ...ITEM, version });
  await to.got(4);
  await hook.close({ within: 50 });
  expect(warnings).toEqual([expect.stringMatching(/^6 posts to http:\/\/127\.0\.0\.1:\d+ were given up at close/)]);
});

test("the end of the guard ends the webhook", async () => {
  const to = await receiver();
  const { say, close } = stand(to);
  say("queued");
  close();
  say("aged");
  await to.got(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(to.posts.map(({ event }) => event.kind)).toEqual(["queued"]);
});

test("only the kinds that were asked for are posted", async () => {
  const to = await receiver();
  const { say } = stand(to, { events: ["conflict"] });
  say("queued");
  say("conflict");
  expect((await to.got(1)).map(({ event }) => event.kind)).toEqual(["conflict"]);
});

const good = { url: "https://ops.acme.example/hook", secret: SECRET };
test.each([
  [{ ...good, url: "ops.acme.example" }, /webhook\.url: not a web address/],
  [{ ...good, url: "file:///etc/passwd" }, /webhook\.url: not a web address/],
  [{ ...good, url: "https://me:word@ops.acme.example" }, /webhook\.url: holds a user name/],
  [{ ...good, secret: "short" }, /webhook\.secret: missing or too short/],
  [{ ...good, secret: undefined }, /webhook\.secret: missing or too short/],
  [{ ...good, events: ["queud"] }, /webhook\.events: "queud" is not one of queued/],
  [{ ...good, events: [] }, /webhook\.events: empty/],
  [{ ...good, pageUrl: "here" }, /webhook\.pageUrl: not a web address/],
  [{ ...good, urlTemplate: "https://x.example/{operation}" }, /webhook\.urlTemplate: \{operation\} is none of/],
  [{ ...good, urlTemplate: "javascript:alert({id})" }, /webhook\.urlTemplate: it must be an http/],
  [{ ...good, retries: -1 }, /webhook\.retries: -1\. Give a whole number/],
  [{ ...good, timeout: "10s" }, /webhook\.timeout: 10s\. Give a whole number/],
  [{ ...good, retry: 3 }, /webhook\.retry: no such option/],
])("a mistake in the options is told at once, with its cure: %o", (options, words) => {
  expect(() => stand({ url: good.url }, options as never)).toThrow(words);
});
