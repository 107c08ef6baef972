/** The page of a card (S28): what strangers wrote stays text, wherever the page is shown. */
import { expect, it } from "vitest";
import { cardPage } from "../../src/card-page.ts";
import type { Card } from "../../src/entries/review.ts";

const EVIL = "x![p](https://evil.example/p.png)<img src=x>|\n# Trusted\n```";
const card: Card = {
  version: 1,
  server: EVIL,
  tool: EVIL,
  environment: "test",
  release: { name: EVIL, version: EVIL },
  fingerprint: "abc",
  on: "2026-11-30",
  by: EVIL,
  claim: [EVIL],
  controls: [EVIL],
  arguments: { [EVIL]: EVIL },
  trials: [
    { name: "once", did: EVIL, sends: 1, answers: [EVIL], effects: 1, expected: EVIL, verdict: "passed", why: EVIL },
  ],
  contradictions: [EVIL],
  limits: [EVIL],
  uncertain: [EVIL],
  verdict: "passed",
  digest: "d",
};

it("S28 no name becomes a picture, a link, markup, a heading, a cell or the end of a fence", () => {
  const page = cardPage(card);
  const [before = "", call = "", after = "", ...more] = page.split(/^```(?:json)?$/m);
  expect(more).toEqual([]);
  expect(JSON.parse(call)).toEqual(card.arguments);
  for (const part of [before, after]) expect(part).not.toMatch(/(?<!\\)[<[\]]/);
  expect(page.match(/^# .*$/gm)).toHaveLength(1);
  const [row = ""] = page.match(/^\| once .*$/m) ?? [];
  expect(row.match(/(?<!\\)\|/g)).toHaveLength(8);
});
