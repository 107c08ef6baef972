/** What the pages say is true today: code ran, names exist, links lead somewhere, commands are those of the package. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import * as mcp from "../../adapters/mcp/index.ts";
import * as memory from "../../adapters/stores/memory/index.ts";
import * as redis from "../../adapters/stores/redis/index.ts";
import * as sqlite from "../../adapters/stores/sqlite/index.ts";
import * as proxy from "../../adapters/surfaces/proxy/index.ts";
import * as core from "../../src/index.ts";
import { page, pages, root, sources, withSnippets } from "./support/snippets.ts";

const readme = page("README.md");
const scripts = (JSON.parse(page("package.json")) as { scripts: Record<string, string> }).scripts;

const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");
const anchors = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading ?? ""));

function brokenLinks(path: string): string[] {
  const links = [...page(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
  const broken = links.filter(([, file, anchor]) => {
    const target = file === "" || file === undefined ? join(root, path) : join(root, dirname(path), file);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchors(readFileSync(target, "utf8")).includes(anchor);
  });
  return broken.map(([link]) => link);
}

const decisions = readdirSync(join(root, "docs/adr")).map((name) => `docs/adr/${name}`);

test.each(["CONTRIBUTING.md", "SECURITY.md", ...decisions])("%s links to files and headings that exist", (path) => {
  expect(brokenLinks(path)).toEqual([]);
});

test("each decision has a number of its own", () => {
  const numbers = decisions.map((path) => Number(/(\d{4})-/.exec(path)?.[1]));
  expect(numbers.toSorted((one, other) => one - other)).toEqual(numbers.map((_number, index) => index));
});

describe.each(pages())("%s", (path) => {
  const markdown = page(path);

  test("shows code as it is in examples/ (bring it up to date with: npx tsx test/docs/children/write.ts)", () => {
    expect(markdown).toBe(withSnippets(markdown));
  });

  test("takes every block of TypeScript from examples/", () => {
    expect(markdown.match(/^```ts$/gm) ?? []).toHaveLength(sources(markdown).length);
  });

  test("links to files and headings that exist", () => {
    expect(brokenLinks(path)).toEqual([]);
  });

  test("has at most three sentences a paragraph", () => {
    const prose = markdown.replace(/^```[\s\S]*?^```$/gm, "").split(/\n\s*\n/);
    const paragraphs = prose.filter((text) => /^[A-Z*[`"]/.test(text.trim()));
    const long = paragraphs.filter((text) => (text.match(/[.!?](?=["*)]*(?:\s|$))/g) ?? []).length > 3);
    expect(long).toEqual([]);
  });
});

describe("README.md", () => {
  test("names nothing in its API table that the package does not export", () => {
    const table = readme.slice(readme.indexOf("## Use the API"), readme.indexOf("`Outcome` is a union"));
    const names = [...table.matchAll(/`([a-zA-Z]+)\(/g)].map(([, name]) => name ?? "");
    const exported = Object.keys({ ...core, ...mcp, ...memory, ...redis, ...sqlite, ...proxy });
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !exported.includes(name))).toEqual([]);
  });

  test("names only members of a guard that a guard has", () => {
    const guard = core.createGuard({ store: memory.memoryStore(), secret: "0123456789abcdef" });
    const named = [...readme.matchAll(/`guard\.(\w+)\(/g)].map(([, name]) => name ?? "");
    expect(named.filter((name) => !(name in guard))).toEqual([]);
    for (const name of ["list", "show", "resolve", "correct"]) expect(guard.queue).toHaveProperty(name);
  });

  test("puts the newcomer's two commands before everything else", () => {
    expect(/```sh\n([\s\S]*?)```/.exec(readme)?.[1]).toBe("npm install && npm run demo\n");
  });

  test("names npm scripts that exist, and every command of .ci/run", () => {
    const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script ?? "");
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
    const ran = [...page(".ci/run").matchAll(/^step(?:_if \S+)? (npm (?:ci|test|run [\w:]+))/gm)].map(
      ([, it]) => it ?? "",
    );
    expect(ran.length).toBeGreaterThan(4);
    expect(ran.filter((command) => !readme.includes(command))).toEqual([]);
  });

  test("has the figures of docs/duplicates.md in its table of duplicates", () => {
    const cells = (line: string) => line.split("|").map((cell) => cell.trim());
    const measured = new Map(
      page("docs/duplicates.md")
        .split("\n")
        .filter((line) => / \| 20 \| /.test(line))
        .map((line) => [cells(line)[1] ?? "", cells(line)]),
    );
    const plain = [...measured.keys()].filter((client) => !client.endsWith(", behind indoubt"));
    const expected = plain.map((client) => {
      const [, , , made, twice] = measured.get(client) ?? [];
      const [, , , guarded, wrong, lost, stuck] = measured.get(`${client}, behind indoubt`) ?? [];
      return `| ${client} | ${made} | ${twice} | ${guarded} | ${wrong} | ${Number(lost) + Number(stuck)} |`;
    });
    expect(expected.length).toBeGreaterThan(8);
    expect(readme).toContain(expected.join("\n"));
  });

  test("lists every kind of outcome", () => {
    const listed = readme.slice(readme.indexOf("`Outcome` is a union"));
    const kinds: Record<core.OutcomeKind, true> = {
      succeeded: true,
      failed: true,
      rejected: true,
      applied: true,
      not_applied: true,
      partial: true,
      uncertain: true,
      unresolved: true,
      abandoned: true,
      refused: true,
    };
    expect(Object.keys(kinds).filter((kind) => !listed.includes(`\`${kind}\``))).toEqual([]);
  });
});
