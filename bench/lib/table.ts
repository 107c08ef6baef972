import type { Row } from "./measure.ts";

/** Prints one table for each work and concurrency; ratios are to the first three cases of the table. */
export function printTable(rows: readonly Row[]): void {
  const tables = new Map<string, Row[]>();
  for (const row of rows) {
    const title = `${row.work}, ${row.concurrency} at once`;
    tables.set(title, [...(tables.get(title) ?? []), row]);
  }
  for (const [title, group] of tables) {
    const others = group.slice(0, 3).map((row) => row.case);
    const ratioHeads = group.length > 1 ? others.map((name) => `p50 (ops) / ${name}`) : [];
    console.log(`\n${title}`);
    console.log(line(["case", "p50 µs", "p99 µs", "ops/s", "cpu µs", "trips", ...ratioHeads, "facts"]));
    console.log(line(Array.from({ length: 7 + ratioHeads.length }, () => "---")));
    for (const row of group) {
      const ratios = ratioHeads.map((_, index) => ratiosOf(row, others[index] ?? ""));
      console.log(line([...numbersOf(row), ...ratios, factsOf(row)]));
    }
  }
}

const numbersOf = (row: Row): string[] => [
  row.case,
  String(row.p50_us),
  String(row.p99_us),
  String(row.ops_per_s),
  String(row.cpu_us),
  row.round_trips === null ? "" : String(row.round_trips),
];

const ratiosOf = ({ ratio, ops_ratio }: Row, name: string): string =>
  ratio[name] === undefined ? "" : `${ratio[name]} (${ops_ratio[name]})`;

const factsOf = ({ facts = {} }: Row): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
