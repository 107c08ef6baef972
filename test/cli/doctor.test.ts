/** The doctor says what a set-up promises and what not, and its exit code can stop a deployment. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { billingIn } from "./support/billing.ts";
import { jsonOf, newFolder, type Ran, run } from "./support/command.ts";
import { doubts, redisPlace, SECRET, sqlitePlace, stopRedis } from "./support/store.ts";

vi.setConfig({ testTimeout: 120_000 });
afterAll(stopRedis);

interface Report {
  readonly ok: boolean;
  readonly findings: readonly { check: string; status: string; words: string; cure?: string }[];
  readonly promised: readonly string[];
  readonly not_promised: readonly string[];
}
const report = (ran: Ran): Report => jsonOf<Report>(ran);
const statusOf = (ran: Ran, check: string, words: RegExp): string | undefined =>
  report(ran).findings.find((finding) => finding.check === check && words.test(finding.words))?.status;

test("before the first call there is no store: a warning, and nothing is made by looking", async () => {
  const cwd = newFolder();
  const ran = await run(["doctor", "--json"], { cwd });
  expect(ran.code).toBe(0);
  expect(statusOf(ran, "store", /There is no file/)).toBe("warning");
  expect(statusOf(await run(["doctor", "--json"], { cwd }), "store", /There is no file/)).toBe("warning");
  expect((await run(["doctor", "--strict"], { cwd })).code).toBe(8);
});

test("a SQLite file in use is fine; the queue is counted; the limits are named", async () => {
  const place = sqlitePlace(newFolder());
  await doubts(place, [{}, {}]);
  const ran = await run(["doctor", "--json"], place);
  expect(ran.code).toBe(0);
  expect(statusOf(ran, "store", /answers/)).toBe("ok");
  expect(statusOf(ran, "clock", /agree/)).toBe("ok");
  expect(statusOf(ran, "queue", /2 operations wait/)).toBe("ok");
  expect(report(ran).promised.join()).toContain("At most one effect per operation");
  expect(report(ran).not_promised.join()).toContain("Exactly once");
  const text = await run(["doctor"], place);
  expect(text.stdout).toContain("This set-up promises");
});

test("a store in memory breaks the promise: exit code 8", async () => {
  const ran = await run(["doctor", "--json", "--store", "memory:"], { cwd: newFolder() });
  expect(ran.code).toBe(8);
  expect(statusOf(ran, "durability", /forgotten/)).toBe("problem");
});

test("a Redis that is not there: exit code 8, with the cure", async () => {
  const args = ["--store", "redis://127.0.0.1:1", "--namespace", "x"];
  const ran = await run(["doctor", "--json", ...args], { cwd: newFolder(), env: { INDOUBT_SECRET: SECRET } });
  expect(ran.code).toBe(8);
  expect(statusOf(ran, "store", /./)).toBe("problem");
  expect(report(ran).promised.join()).toContain("fail closed");
});

test("another secret than the store was used with is a problem of the secret", async () => {
  const place = await redisPlace(newFolder());
  await doubts(place, [{}]);
  const env = { INDOUBT_SECRET: "another secret of another team" };
  const ran = await run(["doctor", "--json", ...place.args], { ...place, env });
  expect(ran.code).toBe(8);
  expect(statusOf(ran, "secret", /./)).toBe("problem");
});

const CONTRACT = {
  dedupes: "key",
  key: { argument: "/idempotency_key" },
  window: "24h",
  concurrent: "joined",
  mismatch: "ignored",
  replaysErrors: false,
  scope: { caller: "tests", downstream: "included" },
  review: { source: "https://billing.example/docs", by: "ops", on: "2026-11-30" },
};

test("contracts: unpinned, suspended, without card; tools without hook", async () => {
  const place = sqlitePlace(newFolder());
  const [id] = await doubts(place, [{ tool: "create_payment" }]);
  const tools = {
    create_payment: { contract: CONTRACT },
    refund: { contract: { ...CONTRACT, pin: { tool: "x" } } },
    charge_card: {},
  };
  writeFileSync(join(place.cwd, "indoubt.config.json"), JSON.stringify({ servers: { billing: { tools } } }));
  const { openGuard } = await import("../../adapters/surfaces/setup/index.ts");
  const { guard } = await openGuard({ cwd: place.cwd });
  await guard.suspensions.suspend({ server: "billing", tool: "refund", actor: "on-call", reason: "it charged twice" });
  await guard.close();
  const ran = await run(["doctor", "--json"], place);
  expect(ran.code, id).toBe(0);
  expect(statusOf(ran, "contract", /create_payment: .*not in force/)).toBe("warning");
  expect(statusOf(ran, "contract", /refund: suspended .*it charged twice/)).toBe("warning");
  expect(statusOf(ran, "contract", /create_payment: no evidence card/)).toBe("warning");
  expect(statusOf(ran, "hook", /charge_card has neither/)).toBe("warning");
});

test("--connect compares the pins with the servers, and tells which cannot be reached", async () => {
  const place = sqlitePlace(newFolder());
  const { command, args } = await billingIn(place.cwd);
  const pinned = { ...CONTRACT, pin: { tool: "another definition" } };
  const servers = {
    billing: { command, args, tools: { create_payment: { identityArgs: ["/order"], contract: pinned } } },
    gone: { command: "no-such-program-of-ours" },
  };
  writeFileSync(join(place.cwd, "indoubt.config.json"), JSON.stringify({ servers }));
  const ran = await run(["doctor", "--json", "--connect"], place);
  expect(ran.code).toBe(8);
  expect(statusOf(ran, "contract", /create_payment: the tool differs/)).toBe("warning");
  expect(statusOf(ran, "config", /"gone" cannot be reached/)).toBe("problem");
});
