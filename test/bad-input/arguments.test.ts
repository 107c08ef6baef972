/** Arguments that cannot be sent as they are: nothing is sent, nothing is recorded, and the words say what to do. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { guardClient } from "../../adapters/mcp/index.ts";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { DEFAULT_TOOLS } from "../../adapters/testing/fault/tools.ts";
import { faultServerCommand } from "../../adapters/testing/index.ts";
import { contract, createGuard, type Outcome, toolFingerprint, withCallContext } from "../../src/index.ts";
import { expectRefused, INVOICE, SECRET, scene } from "./support.ts";

class Money {
  cents = 5;
}
const cycle: Record<string, unknown> = { ...INVOICE };
cycle.self = cycle;
const throws = {
  get amount(): number {
    throw new Error("no");
  },
};

test.each<[string, unknown, RegExp]>([
  ["a BigInt", { ...INVOICE, amount: 12n }, /At \/amount: a BigInt\. .*string/],
  ["a cycle", cycle, /At \/self: a cycle\. Break/],
  ["undefined", { ...INVOICE, memo: undefined }, /At \/memo: undefined\. Leave the field out or use null/],
  ["NaN", { ...INVOICE, amount: Number.NaN }, /At \/amount: NaN\. .*finite/],
  ["a class instance", { ...INVOICE, amount: new Money() }, /At \/amount: a Money instance\. Convert/],
  ["a function", { ...INVOICE, memo: () => 1 }, /At \/memo: function/],
  ["a getter that throws", throws, /getter.*Convert/],
  ["half a character", { ...INVOICE, memo: "\ud800" }, /At \/memo: .*encoding/],
  ["a list", [INVOICE], /not an object\. Pass the arguments as one JSON object/],
  ["10 MB", { ...INVOICE, memo: "x".repeat(10_000_000) }, /maxArgumentBytes is 4194304\. Send a reference/],
])(
  "arguments with %s are refused with the place and the cure; nothing is sent or recorded",
  async (_what, args, cure) => {
    const given = await scene();
    const heard = await given.call(args);

    expectRefused(heard, (heard.outcome as { because: string }).because, cure);
    expect(heard.text).toMatch(cure);
    expect(given.log.entries()).toEqual([]);
    expect((await given.guard.queue.list({ index: "open" })).items).toEqual([]);
    expect((await given.call(INVOICE)).isError).toBe(false);
  },
);

test("10 MB pass where the operator allows them, and arrive whole", async () => {
  const given = await scene({ options: { maxArgumentBytes: 20_000_000 } });
  const heard = await given.call({ ...INVOICE, memo: "x".repeat(10_000_000) });
  expect(heard.isError).toBe(false);
  expect(String(given.log.effects()[0]?.arguments.memo)).toHaveLength(10_000_000);
});

test("an operation id that comes back with other arguments is refused, and the first one stays as it is (I10)", async () => {
  const given = await scene();
  const first = await given.call(INVOICE, { operationId: "order-1" });
  const other = await given.call({ ...INVOICE, amount: 13 }, { operationId: "order-1" });

  expectRefused(other, "other_arguments", /Mint a new operationId/);
  expect((other.outcome as Outcome).operation).toBe(first.outcome?.operation);
  expect(given.log.effects()).toHaveLength(1);
  const again = await given.call(INVOICE, { operationId: "order-1" });
  expect(again.outcome).toMatchObject({ kind: "succeeded", recalled: true });
});

test("a confirmed repeat without an operation id of its own is refused and says what it needs", async () => {
  const given = await scene();
  const heard = await given.call(INVOICE, { confirmRepeatOf: "anything" });
  expectRefused(heard, "confirm_repeat", /new operationId/);
  expect(given.log.entries()).toEqual([]);
});

const TOOL = DEFAULT_TOOLS.find(({ name }) => name === "create_invoice") as (typeof DEFAULT_TOOLS)[0];
const BY_HEADER = contract({
  dedupes: "key",
  key: { header: "Idempotency-Key" },
  window: "24h",
  concurrent: "rejected",
  mismatch: "rejected",
  replaysErrors: false,
  scope: { caller: "acme", downstream: "included" },
  review: { source: "https://billing.acme.example/docs", by: "an operator", on: "2026-11-30" },
  pin: { tool: toolFingerprint(TOOL) },
});

test("a key for a header is not sent over a transport that guardFetch does not see; the words name guardFetch", async () => {
  const given = await scene({ tools: { create_invoice: { contract: BY_HEADER, identityArgs: ["/order"] } } });
  const heard = await given.call(INVOICE);
  expectRefused(heard, "key_not_placeable", /guardFetch\(guard, \{ server \}\)/);
  const again = await given.call(INVOICE);
  expectRefused(again, "key_not_placeable", /guardFetch/);
  expect(given.log.entries()).toEqual([]);
  expect((await given.guard.queue.list()).items).toEqual([]);
});

test("a key for a header is not sent over stdio, which has none", async () => {
  const server = faultServerCommand();
  onTestFinished(() => server.remove());
  const tools = { create_invoice: { contract: BY_HEADER, identityArgs: ["/order"] } };
  const guard = createGuard({ store: memoryStore(), secret: SECRET, servers: { billing: { tools } } });
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  const client = guardClient(guard, "billing", new Client({ name: "host", version: "1.0.0" }));
  onTestFinished(() => client.close());
  const { command, args, env } = server;
  await client.connect(new StdioClientTransport({ command, args, env, stderr: "ignore" }));
  const outcome = await new Promise<Outcome>((onOutcome, fail) => {
    withCallContext({ onOutcome }, () => client.callTool({ name: "create_invoice", arguments: INVOICE })).catch(fail);
  });
  expect(outcome).toMatchObject({ kind: "refused", because: "key_not_placeable" });
  expect(server.log.entries()).toEqual([]);
});
