/** Each example runs as a reader runs it, and says what its page says. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type RedisServer, startRedis } from "../support/redis.ts";
import { runExample } from "./support/run-example.ts";
import { page } from "./support/snippets.ts";

vi.setConfig({ testTimeout: 120_000 });
const cwd = mkdtempSync(join(tmpdir(), "indoubt-examples-"));
afterAll(() => rmSync(cwd, { recursive: true }));
const run = async (file: string) => (await runExample(file, { cwd })).stdout.trim();

test("three lines wrap a client, and the call passes", async () => {
  expect(await run("three-lines.ts")).toMatch(/created invoice INV-\d+/);
});

test("a reconcile hook finds the invoice whose reply was lost (C05)", async () => {
  expect(await run("reconcile-hook.ts")).toMatch(/^invoiced, found at the server: INV-\d+$/);
});

test("under a contract the payment is sent again with the same key and made once (C03)", async () => {
  const last = (await run("contract.ts")).split("\n").at(-1);
  expect(last).toBe("succeeded on basis contract, 2 sends, 1 payment");
  expect(page("docs/contracts.md")).toContain(`\`${last}\``);
});

test("a function that throws is in doubt, and an equal call is held", async () => {
  expect(await run("function.ts")).toBe("uncertain, then uncertain and held: true; refunds: 1");
});

test("a loader of 500 rows, some equal on purpose, starts over without a second invoice", async () => {
  expect((await run("operation-ids.ts")).split("\n")).toEqual([
    "stopped after 300 rows: 300 invoices",
    "started over with all 500: 300 on record already, 500 invoices",
  ]);
});

describe("docs/guide/redis.md", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  const INDOUBT_SECRET = "8f0c1d0c7a3e4b5f9a6d2c1b0e9f8a7d";

  test("the example runs against a Redis", async () => {
    const { stdout } = await runExample("redis.ts", { cwd, env: { REDIS_URL: server.url, INDOUBT_SECRET } });
    expect(stdout).toMatch(/^succeeded: \w+/);
  });

  test("its ACL line gives a user that the example works with and that can do nothing else", async () => {
    const line = /^ACL SETUSER[\s\S]*?(?=\n```)/m.exec(page("docs/guide/redis.md"))?.[0] ?? "";
    const [, ...rule] = line.replaceAll("\\\n", "").trim().split(/\s+/);
    const admin = new Redis(server.url);
    expect(await admin.call("ACL", ...rule)).toBe("OK");
    await admin.quit();
    const url = server.url.replace("redis://", "redis://indoubt:PASSWORD@");
    const { stdout } = await runExample("redis.ts", { cwd, env: { REDIS_URL: url, INDOUBT_SECRET } });
    expect(stdout).toMatch(/^succeeded: \w+/);
    const user = new Redis(url, { enableReadyCheck: false });
    for (const [command, ...args] of [["FLUSHALL"], ["KEYS", "*"], ["CONFIG", "GET", "*"], ["GET", "other"]] as const) {
      await expect(user.call(command, ...args), command).rejects.toThrow(/NOPERM/);
    }
    user.disconnect();
  });
});
