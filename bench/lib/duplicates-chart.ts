/** The duplicates over MCP as a picture and as a table of Markdown: effects for each effect that was wanted. */
import type { DuplicatesRow } from "./duplicates-row.ts";

interface Client {
  readonly name: string;
  readonly without: readonly DuplicatesRow[];
  readonly behind: readonly DuplicatesRow[];
}

function clientsOf(rows: readonly DuplicatesRow[]): Client[] {
  return [...new Set(rows.map(({ client }) => client))].map((name) => {
    const own = rows.filter(({ client }) => client === name);
    return { name, without: own.filter(({ guarded }) => !guarded), behind: own.filter(({ guarded }) => guarded) };
  });
}

const sum = (
  rows: readonly DuplicatesRow[],
  field: "effects" | "wanted" | "lost" | "stuck" | "invisible" | "wrong",
): number => rows.reduce((total, row) => total + row[field], 0);

export function markdownOf(rows: readonly DuplicatesRow[]): string {
  const lines = clientsOf(rows).flatMap(({ name, without, behind }) => [
    lineOf(name, without),
    lineOf(`${name}, behind indoubt`, behind),
  ]);
  const head = "| Client | Wanted | Effects | Twice or told wrong | Lost | Stuck | On no record |";
  return [head, "|---|---|---|---|---|---|---|", ...lines].join("\n");
}

function lineOf(name: string, rows: readonly DuplicatesRow[]): string {
  const fields = (["wanted", "effects", "wrong", "lost", "stuck", "invisible"] as const).map((field) =>
    sum(rows, field),
  );
  return `| ${[name, ...fields].join(" | ")} |`;
}

const LEFT = 300;
const SCALE = 200;
const ROW = 38;
const TOP = 78;

/** Only faults after the write: there one effect is wanted and one is there before anybody asks again. */
export function chartOf(rows: readonly DuplicatesRow[]): string {
  const clients = clientsOf(rows.filter(({ fault }) => !fault.includes("before the write")));
  const height = TOP + clients.length * ROW + 34;
  const bars = clients.map((client, index) => barsOf(client, TOP + index * ROW)).join("\n");
  const one = LEFT + SCALE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 ${height}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-labelledby="title">
<title id="title">Effects for each wanted write when its reply is lost: two without indoubt, one behind it, for every client</title>
<style>text { fill: #1f2328 } .soft { fill: #59636e } .plain { fill: #cf222e } .behind { fill: #1a7f37 } .line { stroke: #59636e }
@media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .soft { fill: #9198a1 } .plain { fill: #f85149 } .behind { fill: #3fb950 } .line { stroke: #9198a1 } }</style>
<text x="16" y="26" font-size="17" font-weight="600">The reply is lost after the write: effects for each wanted one</text>
<rect class="plain" x="16" y="42" width="12" height="12"/><text class="soft" x="34" y="53">as people have it</text>
<rect class="behind" x="170" y="42" width="12" height="12"/><text class="soft" x="188" y="53">behind indoubt</text>
<line class="line" x1="${one}" y1="${TOP - 8}" x2="${one}" y2="${height - 30}" stroke-dasharray="3 4"/>
<text class="soft" x="${one}" y="${height - 12}" text-anchor="middle">1 = what was wanted</text>
${bars}
</svg>
`;
}

function barsOf({ name, without, behind }: Client, y: number): string {
  const bar = (kind: string, rows: readonly DuplicatesRow[], at: number): string => {
    const ratio = sum(rows, "effects") / sum(rows, "wanted");
    const width = Math.round(ratio * SCALE);
    const label = `<text x="${LEFT + width + 6}" y="${at + 10}" font-size="11">${ratio.toFixed(2)}</text>`;
    return `<rect class="${kind}" x="${LEFT}" y="${at}" width="${width}" height="12"/>${label}`;
  };
  return `<text x="16" y="${y + 18}">${name}</text>${bar("plain", without, y)}${bar("behind", behind, y + 14)}`;
}
