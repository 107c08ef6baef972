/** Wrong configuration: refused where it is written, with the path and what to write instead. */
import { expect, test } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { absent, contract, createGuard } from "../../src/index.ts";
import { expectFailure, INVOICE, scene } from "./support.ts";

const TERMS = {
  dedupes: "key",
  key: { argument: "/idempotency_key" },
  window: "24h",
  concurrent: "rejected",
  mismatch: "rejected",
  replaysErrors: false,
  scope: { caller: "acme", downstream: "included" },
  review: { source: "https://billing.acme.example/docs", by: "an operator", on: "2026-11-30" },
};
const of = (tool: object) => ({ servers: { billing: { tools: { create_invoice: tool } } } });
const at = (rest: string) => new RegExp(`servers\\.billing\\.tools\\.create_invoice${rest}`);

test.each<[string, object, RegExp]>([
  ["an unknown option", { deadlin: 5 }, /deadlin: unknown option; check the spelling/],
  ["a duration in words", { deadline: "60 seconds" }, /deadline: "60 seconds" is not a duration: write .* "30s"/],
  ["a negative duration", { lease: -1 }, /lease: .*not a duration/],
  ["an unknown tool option", of({ efect: "read" }), at("\\.efect: unknown option")],
  ["an unknown effect", of({ effect: "reed" }), at('\\.effect: .*"read".*"write"')],
  ["a pointer without slash", of({ identityArgs: ["customer"] }), at('\\.identityArgs\\.0: .*"/customer"')],
  ["a hook that is no function", of({ reconcile: "find_invoice" }), at("\\.reconcile: .*function")],
  ["an unknown hook option", of({ reconcile: { look: absent, setle: "1s" } }), at("\\.reconcile\\.setle: unknown")],
  ["a read with a hook", of({ effect: "read", reconcile: absent }), at("\\.effect: .*remove")],
  ["a contract without window", of({ contract: { ...TERMS, window: undefined } }), at("\\.contract\\.window")],
  ["a rule without meaning", of({ toolErrors: [{ at: "/code", equals: 1 }] }), at("\\.toolErrors\\.0\\.means")],
])("%s is refused with its path and the cure", async (_what, options, words) => {
  await expectFailure(() => createGuard({ store: memoryStore(), ...options } as never), "CONFIG_INVALID", words);
});

test.each<[string, object, RegExp]>([
  ["no place for the key", { ...TERMS, key: undefined }, /key: .*argument.*meta.*header/],
  ["a name that MCP keeps for itself", { ...TERMS, key: { meta: "mcp.dev/key" } }, /key.*: .*destination's own name/],
  ["a bad pointer", { ...TERMS, key: { argument: "key" } }, /key\.argument: .*"\/idempotency_key"/],
  ["a margin as long as the window", { ...TERMS, margin: "24h" }, /margin: must be shorter than the window/],
  ["an unknown term", { ...TERMS, windw: "1h" }, /windw: unknown option/],
])("a contract with %s is refused where it is written", async (_what, input, words) => {
  await expectFailure(() => contract(input as never), "CONTRACT_INVALID", words);
});

test("a guard without a store says which ones there are", async () => {
  await expectFailure(() => createGuard({} as never), "CONFIG_INVALID", /store: .*sqliteStore\(\).*redisStore/);
});

test.each<[string, () => unknown, RegExp]>([
  [
    "a namespace with capitals",
    () => redisStore({ url: "redis://localhost", namespace: "Acme" }),
    /namespace.*"acme-agents"/,
  ],
  ["no namespace", () => redisStore({ url: "redis://localhost" } as never), /namespace.*"acme-agents"/],
  ["no url", () => redisStore({ namespace: "acme" } as never), /url or a client/],
  ["a url of another program", () => redisStore({ url: "http://localhost", namespace: "acme" }), /redis:\/\//],
  [
    "a duration in words",
    () => redisStore({ url: "redis://localhost", namespace: "acme", commandTimeout: "2s" } as never),
    /milliseconds/,
  ],
])("a Redis store with %s is refused with the cure", async (_what, make, words) => {
  await expectFailure(make, "CONFIG_INVALID", words);
});

test.each<[string, object, RegExp]>([
  ["in memory", { file: ":memory:" }, /memoryStore\(\)/],
  [
    "in a folder that is not there",
    { file: "/tmp/indoubt-nowhere/a/indoubt.db" },
    /mkdir -p \/tmp\/indoubt-nowhere\/a/,
  ],
  ["that is a folder", { file: "/tmp" }, /name of a file/],
])("a SQLite store %s sends nothing, and its error says what to do", async (_what, options, words) => {
  await expectFailure(() => createGuard({ store: sqliteStore(options) }).start(), "CONFIG_INVALID", words);
});

test("an allowlist refuses a tool that it does not name, and says where to name it", async () => {
  const given = await scene({ options: { undeclared: "refuse" } });
  const heard = await given.call(INVOICE);
  expect(heard.outcome).toMatchObject({ kind: "refused", because: "undeclared_tool" });
  expect(heard.outcome).toHaveProperty("detail", expect.stringContaining("servers.billing.tools"));
  expect(given.log.entries()).toEqual([]);
});

test("a pointer that the tool's schema cannot have is told at the first call, and nothing is sent", async () => {
  const given = await scene({ tools: { create_invoice: { identityArgs: ["/custommer"] } } });
  const heard = await given.call(INVOICE);
  expect(heard.threw).toMatchObject({ name: "IndoubtError", code: "CONFIG_INVALID", effect: "none" });
  expect(heard.text).toMatch(at('\\.identityArgs: "/custommer" is not in the input schema .* Correct the pointer'));
  expect(given.log.entries()).toEqual([]);
});

test.each<[string, () => unknown]>([
  ["SQLite", () => sqliteStore({ fiel: "./a.db" } as never)],
  ["Redis", () => redisStore({ url: "redis://localhost", namespace: "acme", secert: "x".repeat(32) } as never)],
])("an unknown option of the %s store is refused, not passed over", async (_what, make) => {
  await expectFailure(make, "CONFIG_INVALID", /"fiel"|"secert"/);
});
