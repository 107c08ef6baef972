/** A card as a page that people read. */
import type { Card, Trial } from "./card-api.ts";
import { quoted, tame } from "./core/fence.ts";

const WORDS: Readonly<Record<Card["verdict"], string>> = {
  passed: "keeps the promise, as far as it was tested",
  failed: "DOES NOT keep the promise",
  inconclusive: "the test could not tell",
};

/** A page that is shown as Markdown: a name must become no link, no picture and no markup. */
const marked = (text: string, longest: number): string => tame(text, longest).replaceAll(/[<[\]]/g, "\\$&");
const cell = (text: string): string => marked(text, 400).replaceAll("|", "\\|");
const list = (lines: readonly string[]): string => lines.map((line) => `- ${marked(line, 600)}`).join("\n");
const LONGEST_CALL = 4_000;
/** JSON has no line that could end the fence. */
const block = (text: string): string =>
  [
    "```json",
    ...text
      .slice(0, LONGEST_CALL)
      .split("\n")
      .map((line) => tame(line, LONGEST_CALL)),
    "```",
  ].join("\n");

/** Markdown. What the server or the operator wrote is quoted or fenced. */
export function cardPage(card: Card): string {
  const { server, tool, on, by, fingerprint, release, contract, verdict, trials } = card;
  const about = [
    `Tool ${quoted(tool)} of server ${quoted(server)}, definition \`${fingerprint}\``,
    release
      ? `Release, as the server calls itself: ${quoted(`${release.name} ${release.version}`)}`
      : "The server names no release",
    contract === undefined ? "No contract was declared" : `Contract terms \`${contract}\``,
    `Tested on ${on} by ${quoted(by)}, environment ${quoted(card.environment)}`,
  ];
  return `${[
    `# Evidence card: ${marked(tool, 100)}`,
    `**${verdict}**: ${WORDS[verdict]}.`,
    list(about),
    "## Claim",
    list(card.claim),
    "## Independent controls",
    list(card.controls),
    "## Tested behaviour",
    [
      "| trial | what was done | answers | effects | expected | verdict | why |",
      "|---|---|---|---|---|---|---|",
      ...trials.map(row),
    ].join("\n"),
    "The call, with a fresh identity for each trial:",
    block(JSON.stringify(card.arguments, null, 2)),
    ...(card.contradictions.length > 0 ? ["## Contradicted claims of the publisher", list(card.contradictions)] : []),
    "## Limits of the test",
    list(card.limits),
    "## What remains uncertain",
    list(card.uncertain),
    `Digest \`${card.digest}\``,
  ].join("\n\n")}\n`;
}

const row = ({ name, did, answers, effects, expected, verdict, why }: Trial): string =>
  `| ${[name, did, answers.join(", ") || "-", effects === undefined ? "-" : `${effects}`, expected || "-", verdict, why].map(cell).join(" | ")} |`;
