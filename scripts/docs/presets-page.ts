/** docs/presets.md: what providers document about repeats, from the table that contracts are filled in from. */
import { PRESETS, type Preset } from "../../src/core/contract-presets.ts";
import { code, page, table } from "./markdown.ts";

const key = (preset: Preset): string => {
  const [[kind, where]] = Object.entries(preset.key) as [[string, string]];
  return `${kind} ${code(where)}${preset.uuid4 ? ", UUID v4" : ""}`;
};

const entry = ([name, preset]: [string, Preset]): string =>
  [
    `### ${name}`,
    `${preset.provider}. Source: [${new URL(preset.source).host}](${preset.source}), read for this table on ${preset.checked}.`,
    preset.notes.map((note) => `- ${note}`).join("\n"),
  ].join("\n\n");

export const presetsPage = (): string =>
  page(
    "# Contract presets",
    'Terms that providers document, to begin a contract with: `contract: { preset: "stripe", review: { by: "you", on: "2026-11-30" } }`. What you set yourself takes the place of the preset\'s term.',
    "A preset is a summary of a page, made from a stored copy of it. It is never in force without your review and without a reviewed definition of the tool, and it says nothing about the MCP server between you and the provider: whether that server hands the key on is for an evidence card to show.",
    "Where a page is silent, the cautious reading stands here: overlapping repeats are not safe (`serial`), other arguments are not noticed (`ignored`), errors are not stored. Where two pages of a provider differ, the shorter time stands.",
    table(
      ["preset", "key", "window", "overlapping repeats", "same key, other arguments", "repeats stored errors"],
      Object.entries(PRESETS as Record<string, Preset>).map(([name, preset]) => [
        `[${name}](#${name})`,
        key(preset),
        preset.window === undefined ? "yours to set" : String(preset.window),
        preset.concurrent,
        preset.mismatch,
        preset.replaysErrors ? "yes" : "no",
      ]),
    ),
    "## Providers",
    ...Object.entries(PRESETS as Record<string, Preset>).map(entry),
  );
