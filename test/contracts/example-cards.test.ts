/** The cards under examples/cards, made with the official servers (S24): whole, and the same when they are made again. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parseCard } from "../../src/card-file.ts";
import { cardPage } from "../../src/card-page.ts";
import type { Card } from "../../src/entries/review.ts";
import { newFolder } from "../cli/support/command.ts";
import { runExample } from "../docs/support/run-example.ts";

vi.setConfig({ testTimeout: 300_000 });

const folder = join(import.meta.dirname, "../../examples/cards");
const read = (name: string, from = folder): Card =>
  parseCard(JSON.parse(readFileSync(join(from, `${name}.json`), "utf8")));
const NAMES = ["write_file", "edit_file", "create_entities"];

describe.each(NAMES)("the card of %s", (name) => {
  test("is whole, names no folder of a machine, and its page says the same", () => {
    const card = read(name);
    expect(JSON.stringify(card)).not.toMatch(/"\/(?:home|tmp|usr|root|work|Users)\b/);
    expect(readFileSync(join(folder, `${name}.md`), "utf8")).toBe(cardPage(card));
  });
});

test("one is idempotent by its arguments, one is not, and one says less of itself than it does", () => {
  expect(NAMES.map((name) => [name, read(name).verdict])).toEqual([
    ["write_file", "passed"],
    ["edit_file", "failed"],
    ["create_entities", "passed"],
  ]);
  // It declares that each repeat may change more, and a repeat changed nothing: a claim that is only too careful.
  const entities = read("create_entities");
  expect(entities.claim.join()).toContain("idempotentHint: false");
  expect(entities.trials.find((trial) => trial.name === "without_key")?.effects).toBe(1);
});

test("made again, they come to the same", async () => {
  const out = newFolder();
  await runExample("cards/make.ts", { cwd: out, args: [out] });
  const core = ({ trials }: Card) => trials.map(({ name, verdict }) => [name, name === "concurrent" ? "any" : verdict]);
  for (const name of NAMES) expect([name, core(read(name, out))]).toEqual([name, core(read(name))]);
});
