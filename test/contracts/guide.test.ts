/** docs/contracts.md: what it shows as configuration is one, and the tables name what there is. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { newProgram } from "../../adapters/surfaces/cli/program.ts";
import { CONTRACT_OBSTACLES } from "../../src/core/contract.ts";
import { parseConfigFile } from "../../src/entries/config.ts";
import { createGuard, type GuardOptions } from "../../src/index.ts";

const guide = readFileSync(join(import.meta.dirname, "../../docs/contracts.md"), "utf8");
const blocks = [...guide.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text = ""]) => JSON.parse(text));
const [file, own, rules, probe] = blocks;
const tools = { ...probe, create_invoice: { ...own.create_invoice, ...probe.create_invoice } };
const guardWith = (declared: object) =>
  createGuard({
    store: memoryStore(),
    secret: "0123456789abcdef",
    servers: { billing: { tools: declared } } as GuardOptions["servers"],
  });

test("every configuration that it shows is accepted, and warned of for nothing but a missing pin", () => {
  expect(blocks).toHaveLength(4);
  expect(() => parseConfigFile(file)).not.toThrow();
  const warnings = [...guardWith({ create_invoice: rules }).warnings, ...guardWith(tools).warnings];
  expect(warnings.filter((text) => !text.includes("without a pin"))).toEqual([]);
});

test("it names every obstacle and every reason for a suspension", () => {
  for (const obstacle of Object.keys(CONTRACT_OBSTACLES)) expect(guide).toContain(`\`${obstacle}\``);
  for (const reason of ["drift", "other_server", "release_changed", "hint_contradicted", "card_failed", "card_stale"]) {
    expect(guide).toContain(`\`${reason}\``);
  }
});

test("it names only commands and options that there are", () => {
  const program = newProgram(
    () => {},
    () => {},
  );
  const lines = [...guide.matchAll(/\bindoubt ((?:tools|probe|card)\b[^`\n|]*)/g)].map(([, words = ""]) =>
    words.split(/\s+/),
  );
  expect(lines.length).toBeGreaterThan(6);
  for (const [first = "", second = "", ...rest] of lines) {
    const top = program.commands.find((each) => each.name() === first);
    const command = top?.commands.find((each) => each.name() === second) ?? top;
    const known = (command?.options ?? []).flatMap(({ long }) => long ?? []);
    expect(first === "tools" ? top?.commands.map((each) => each.name()) : [second]).toContain(second);
    expect(rest.filter((word) => word.startsWith("--") && !known.includes(word))).toEqual([]);
  }
});
