import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CASE_KINDS, CASES, LATER, REQUIREMENTS } from "./requirements.ts";

const OURS = ["requirements.ts", "requirements.test.ts"];
const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !OURS.includes(path))
  .map((path) => ({ path, text: readFileSync(join(import.meta.dirname, path), "utf8") }));

/** id -> files that cite it. */
function citations(pattern: RegExp): Map<string, string[]> {
  const cited = new Map<string, string[]>();
  for (const { path, text } of sources) {
    for (const id of new Set(text.match(pattern))) cited.set(id, [...(cited.get(id) ?? []), path]);
  }
  return cited;
}

const promises = citations(/(?<![\w-])(?:C0\d|S\d\d|I\d{1,2})(?![\w-])/g);
const incidents = citations(/(?<![\w-])(?:[TRCDVW]\d)-\d\d(?![\w-])/g);

describe("promises and tests agree", () => {
  it("each promise is cited by a test, or it is said what it waits for", () => {
    const silent = Object.keys(REQUIREMENTS).filter((id) => !promises.has(id) && !(id in LATER));
    expect(silent).toEqual([]);
  });

  it("each promise that a test cites exists", () => {
    const unknown = [...promises].filter(([id]) => !(id in REQUIREMENTS));
    expect(unknown).toEqual([]);
  });

  it("each incident to build first is played by a test, or it is said what it waits for", () => {
    const silent = CASES.filter((id) => !incidents.has(id) && !(id in LATER));
    expect(silent).toEqual([]);
  });

  it("each incident that a test cites exists", () => {
    const counts: Readonly<Record<string, number>> = CASE_KINDS;
    const unknown = [...incidents].filter(([id]) => {
      const [kind = "", number] = id.split("-");
      return Number(number) < 1 || Number(number) > (counts[kind] ?? 0);
    });
    expect(unknown).toEqual([]);
  });

  it("what waits is a promise or an incident, with a reason", () => {
    for (const [id, why] of Object.entries(LATER)) {
      expect([...Object.keys(REQUIREMENTS), ...CASES]).toContain(id);
      expect(why.length).toBeGreaterThan(10);
    }
  });

  it("the invariants are never put off", () => {
    expect(Object.keys(LATER).filter((id) => id.startsWith("I") || id.startsWith("C0"))).toEqual([]);
  });
});
