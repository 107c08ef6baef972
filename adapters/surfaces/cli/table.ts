/** A table that fits the terminal: wide columns are cut, and the last resort is to leave one out. */
import type { QueueItem } from "../../../src/entries/queue.ts";
import type { Screen } from "./screen.ts";
import { visible } from "./text.ts";

export interface Column<T> {
  readonly title: string;
  /** Untrusted text is made visible here, for all columns. */
  readonly value: (row: T) => string;
  /** May be cut to this width; absent: is shown whole. */
  readonly least?: number;
  /** Is left out where the terminal is too narrow. */
  readonly optional?: true;
  /** Where it is left out, it stands on a line of its own below the row. */
  readonly below?: true;
  readonly right?: true;
}

/** A caller or model wrote the arguments: they stand behind a bar, as everywhere. */
export const SUMMARY: Column<QueueItem> = {
  title: "ARGUMENTS",
  value: ({ summary }) => (summary === undefined ? "" : `| ${summary}`),
  least: 24,
  optional: true,
  below: true,
};

const GAP = 2;

export async function printTable<T>(screen: Screen, columns: readonly Column<T>[], rows: readonly T[]): Promise<void> {
  const { default: Table } = await import("cli-table3");
  const cells = (column: Column<T>) => rows.map((row) => visible(column.value(row)));
  const wanted = columns.map((column) => ({ ...column, cells: cells(column) }));
  const shown = fitted(wanted, screen.width);
  const none = Object.fromEntries(BORDERS.map((name) => [name, ""]));
  const table = new Table({
    head: shown.map(({ title }) => screen.paint.dim(title)),
    chars: { ...none, middle: " ".repeat(GAP) },
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 0 },
    colWidths: shown.map(({ width }) => width),
    colAligns: shown.map(({ right }) => (right ? "right" : "left")),
  });
  rows.forEach((_, index) => {
    table.push(shown.map((column) => column.cells[index] ?? ""));
  });
  const below = wanted.filter((column) => column.below && !shown.some(({ title }) => title === column.title));
  for (const [at, line] of table.toString().split("\n").entries()) {
    screen.print(line.trimEnd());
    for (const { cells } of below) printBelow(screen, cells[at - 1]);
  }
}

/** Row 0 of the table is its head. */
function printBelow(screen: Screen, cell: string | undefined): void {
  if (!cell) return;
  const letters = [...cell];
  const room = (screen.width ?? 80) - 2;
  screen.print(`  ${letters.length > room ? `${letters.slice(0, room - 1).join("")}…` : cell}`);
}

const BORDERS = [
  ...["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"],
  ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid"],
];

type Cells = Omit<Column<never>, "value"> & { readonly cells: readonly string[] };

/**
 * Cuts the widest column that may be cut, until it fits. Where that does not do, the last optional column is left out,
 * and the others are as wide again as the room allows.
 */
export function fitted<C extends Cells>(columns: readonly C[], width: number | undefined): (C & { width: number })[] {
  const sized = columns.map((column) => ({
    ...column,
    width: Math.max(1, column.title.length, ...column.cells.map((cell) => [...cell].length)),
  }));
  if (width === undefined) return sized;
  let spare = width - sized.reduce((sum, column) => sum + column.width, 0) - GAP * (sized.length - 1);
  while (spare < 0) {
    const widest = sized
      .filter((column) => column.least !== undefined && column.width > column.least)
      .sort((a, b) => b.width - a.width)[0];
    if (!widest) break;
    widest.width -= 1;
    spare += 1;
  }
  const optional = columns.findLastIndex((column) => column.optional);
  return spare >= 0 || optional < 0 ? sized : fitted(columns.toSpliced(optional, 1), width);
}
