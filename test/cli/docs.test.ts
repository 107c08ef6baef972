/** The pages show what the command prints, and name only what it has. */
import { describe, expect, test, vi } from "vitest";
import { newProgram } from "../../adapters/surfaces/cli/program.ts";
import { newFolder } from "./support/command.ts";
import { masked, PAGES, page, playOutputs, shown } from "./support/outputs.ts";

vi.setConfig({ testTimeout: 120_000 });

test("the outputs are those of today (bring them up to date with: npx tsx test/cli/children/write-outputs.ts)", async () => {
  const outputs = await playOutputs(newFolder());
  const blocks = PAGES.flatMap((path) => shown(page(path)));
  expect(blocks.length).toBeGreaterThan(4);
  for (const [command, output] of blocks) {
    expect(masked(output), command).toEqual(masked(outputs[command] ?? "nobody runs it"));
  }
});

describe.each(PAGES)("%s", (path) => {
  const markdown = page(path);
  const program = newProgram(
    () => {},
    () => {},
  );

  test("names only commands and options that exist", () => {
    const lines = [
      ...markdown.matchAll(/\bindoubt ((?:demo|proxy|queue|page|path|worker|doctor|completion)\b[^`\n|]*)/g),
    ];
    const unknown = lines.flatMap(([, words = ""]) => {
      const [first = "", second = ""] = words.split(/\s+/);
      const top = program.commands.find((each) => each.name() === first);
      const command = top?.commands.find((each) => each.name() === second) ?? top;
      const options = [...(words.split(/ -- /, 1)[0]?.matchAll(/(?:^|\s)(--[a-z][a-z-]*)/g) ?? [])].map(
        ([, name]) => name,
      );
      const known = [...(command?.options ?? []), ...program.options].flatMap(({ long }) => long ?? []);
      return options.filter((name) => name !== undefined && name !== "--help" && !known.includes(name));
    });
    expect(unknown).toEqual([]);
  });
});

test("docs/cli.md names every command", () => {
  const markdown = page("docs/cli.md");
  const { commands } = newProgram(
    () => {},
    () => {},
  );
  const names = commands.flatMap((command) => [
    command.name(),
    ...command.commands.map((each) => `${command.name()} ${each.name()}`),
  ]);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !markdown.includes(`\`${name}`))).toEqual([]);
});
