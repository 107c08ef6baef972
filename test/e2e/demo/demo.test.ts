/** What a newcomer sees first: `npm run demo`, judged by the demo server's own file. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { createGuard } from "../../../src/index.ts";
import { runExample } from "../../docs/support/run-example.ts";
import { demoOutput, page } from "../../docs/support/snippets.ts";

vi.setConfig({ testTimeout: 120_000 });

/** The command, from its sources. */
const INDOUBT = "../adapters/surfaces/cli/bin.ts";

interface Effect {
  readonly kind: string;
  readonly order: string;
}

/** What the server holds, scene by scene. */
function effectsIn(folder: string): Record<string, number> {
  const count = (server: string, kind: string) => {
    const lines = readFileSync(join(folder, server, "effects.jsonl"), "utf8")
      .trim()
      .split("\n");
    return lines.map((line) => JSON.parse(line) as Effect).filter((effect) => effect.kind === kind).length;
  };
  return {
    plain: count("plain", "invoice"),
    indoubt: count("guarded", "invoice"),
    no_hook: count("guarded", "charge"),
    contract: count("guarded", "payment"),
  };
}

/** What differs from run to run: orders, numbers of invoices, how many charges wait; and who speaks first about a look. */
const masked = (output: string): string[] =>
  output
    .replace(/"\w{4}-(\d)"/g, '"order-$1"')
    .replace(/\b(INV|CHA|PAY)-\d{8}\b/g, "$1-00000000")
    .replace(/\d+ charges? waits?/, "a charge waits")
    .split("\n")
    .sort();

describe("npm run demo", () => {
  const cwd = mkdtempSync(join(tmpdir(), "indoubt-demo-test-"));
  const folders = ["first", "second"].map((name) => join(cwd, name));
  const outputs: string[] = [];

  beforeAll(async () => {
    for (const folder of folders) {
      outputs.push((await runExample(INDOUBT, { cwd, args: ["demo", "--json", "--folder", folder] })).stdout);
    }
  }, 120_000);
  afterAll(() => rmSync(cwd, { recursive: true }));

  test("a lost reply makes two invoices with a plain client and one effect under the guard (C02, C03, C05)", () => {
    expect(effectsIn(folders[0] ?? "")).toEqual({ plain: 2, indoubt: 1, no_hook: 1, contract: 1 });
  });

  test("--json prints one object that says what the server's file says", () => {
    const lines = (outputs[0] ?? "").trim().split("\n");
    expect(lines).toHaveLength(1);
    const printed = JSON.parse(lines[0] ?? "") as Record<string, { calls: number; effects: number }>;
    expect(Object.fromEntries(Object.entries(printed).map(([scene, { effects }]) => [scene, effects]))).toEqual(
      effectsIn(folders[0] ?? ""),
    );
    for (const { calls } of Object.values(printed)) expect(calls).toBeGreaterThan(0);
  });

  test("it can be run twice: a charge in doubt of the first run does not hold the second run's", () => {
    expect(effectsIn(folders[1] ?? "")).toEqual({ plain: 2, indoubt: 1, no_hook: 1, contract: 1 });
  });

  test("the charges whose outcome nobody knows wait in the queue of ./indoubt.db (C06)", async () => {
    const file = join(cwd, "indoubt.db");
    expect(existsSync(file)).toBe(true);
    const guard = createGuard({ store: sqliteStore({ file }) });
    const { items } = await guard.queue.list();
    await guard.close();
    expect(items.map(({ tool, state }) => `${tool} ${state}`)).toEqual([
      "charge_card unresolved",
      "charge_card unresolved",
    ]);
  });

  test("examples/queue.ts lists them for a reader", async () => {
    const { stdout } = await runExample("queue.ts", { cwd });
    expect(stdout.match(/billing\.charge_card/g)).toHaveLength(2);
  });

  test("a person decides one of them with examples/resolve.ts, on the record (C06)", async () => {
    const id = /^\w+/.exec((await runExample("queue.ts", { cwd })).stdout)?.[0] ?? "";
    const { stdout } = await runExample("resolve.ts", { cwd, args: [id, "applied", "found it in the ledger"] });
    expect(stdout).toContain(`${id} is applied`);
    expect((await runExample("queue.ts", { cwd })).stdout.match(/billing\.charge_card/g)).toHaveLength(1);
  });

  test("README.md shows the real output (bring it up to date with: npx tsx test/docs/children/write.ts)", async () => {
    const { stdout } = await runExample(INDOUBT, { cwd, args: ["demo"] });
    expect(masked(demoOutput(page("README.md")))).toEqual(masked(stdout.trimEnd()));
  });
});
