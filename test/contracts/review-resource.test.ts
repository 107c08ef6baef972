/**
 * A contract by arguments (S10, S13, C1): a repeat makes of the resource what it was asked to be, so it must not be sent
 * once another operation on that resource was. On the real stores too, since what was sent last is kept there.
 */
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import type { Store } from "../../src/entries/store.ts";
import type { WireEvidence } from "../../src/entries/wire.ts";
import { newFolder } from "../cli/support/command.ts";
import { startRedis } from "../support/redis.ts";
import { callOf, guardOf, invoice, LOST, OK, pinned, SECRET, SERVER, sends, wireOf } from "./support.ts";

const tools = {
  create_invoice: { identityArgs: ["/order"], contract: pinned(invoice, { dedupes: "arguments", key: undefined }) },
};
const first = { ...callOf({ order: "o-1", mode: "paid" }), operationId: "a" };

/** Another operation is sent while the first one runs; then the first one's answer is lost. */
async function overlapped(other: object, store: Store = memoryStore()): Promise<readonly [sent: number, kind: string]> {
  const { guard } = guardOf({ store, tools });
  guard.toolsSeen(SERVER, [invoice], {});
  const second = wireOf(OK);
  const wire = {
    ...wireOf(),
    sent: [] as unknown[],
    async send(attempt: { mayStart(): boolean; number: number }): Promise<WireEvidence> {
      attempt.mayStart();
      wire.sent.push(attempt);
      if (attempt.number > 1) return OK;
      await guard.perform({ ...callOf({ order: "o-1", mode: "cancelled" }), operationId: "b", ...other }, second);
      return LOST;
    },
  };
  const { kind } = await guard.perform(first, wire as never);
  expect(sends(second)).toBe(1);
  return [wire.sent.length, kind];
}

describe("a repeat on a resource", () => {
  it("that nobody has touched since is sent", async () => {
    const { guard } = guardOf({ tools });
    guard.toolsSeen(SERVER, [invoice], {});
    const wire = wireOf(LOST, OK);
    expect(await guard.perform(first, wire)).toMatchObject({ kind: "succeeded", basis: "contract", attempts: 2 });
  });

  it("of another resource in between changes nothing", async () => {
    expect(await overlapped(callOf({ order: "o-2", mode: "cancelled" }))).toEqual([2, "succeeded"]);
  });

  it.each<[what: string, other: object]>([
    ["another operation of the same caller", {}],
    ["one of another sign-in", { principal: "bob" }],
    ["one with the same arguments", { arguments: first.arguments }],
  ])("I2 after %s is not sent", async (_what, other) => {
    expect(await overlapped(other)).toEqual([1, "uncertain"]);
  });

  it("I2 is not sent either where the store is a file", async () => {
    expect(await overlapped({}, sqliteStore({ file: join(newFolder(), "a.db") }))).toEqual([1, "uncertain"]);
  });

  it("I2 nor where it is a Redis", { timeout: 60_000 }, async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const store = redisStore({ url: redis.url, namespace: "resource", secret: SECRET });
    expect(await overlapped({}, store)).toEqual([1, "uncertain"]);
    const other = redisStore({ url: redis.url, namespace: "another", secret: SECRET });
    expect(await overlapped(callOf({ order: "o-2" }), other)).toEqual([2, "succeeded"]);
  });

  it("is not sent where the store cannot say which was the last", async () => {
    const store = memoryStore();
    const { guard } = guardOf({
      tools,
      store: {
        ...store,
        swap: (request) => (request.body === "resource" ? Promise.reject(new Error("x")) : store.swap(request)),
      },
    });
    guard.toolsSeen(SERVER, [invoice], {});
    const wire = wireOf(LOST, OK);
    expect((await guard.perform(first, wire)).kind).toBe("uncertain");
    expect(sends(wire)).toBe(0);
  });
});
