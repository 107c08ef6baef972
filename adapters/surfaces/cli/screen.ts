/** Where a command writes: results on stdout, everything else on stderr. Colour only on a terminal. */
import { safeJson } from "./text.ts";

export interface Screen {
  /** What the user asked for is meant for a program. */
  readonly json: boolean;
  /** Columns of the terminal; undefined: no terminal, lines may be as long as they are. */
  readonly width: number | undefined;
  /** Where sentences are wrapped. */
  readonly measure: number;
  /** A line of the result. */
  print(line?: string): void;
  /** The result as JSON, on one line. */
  printJson(value: unknown): void;
  /** A line beside the result: hints and warnings. Silent with --json. */
  note(line: string): void;
  readonly paint: Paint;
}

export type Paint = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export function newScreen(json: boolean): Screen {
  const { stdout, stderr } = process;
  const paint = painter(!json && isColourful(stdout));
  const width = json || !stdout.isTTY ? undefined : stdout.columns || 80;
  return {
    json,
    paint,
    width,
    measure: Math.max(40, Math.min(width ?? 100, 100)),
    print: (line = "") => void stdout.write(`${line}\n`),
    printJson: (value) => void stdout.write(`${safeJson(value)}\n`),
    note(line) {
      if (!json) stderr.write(`${line}\n`);
    },
  };
}

/** https://no-color.org: any value that is not empty. */
export const isColourful = (stream: { readonly isTTY?: boolean }): boolean =>
  stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";

export const painter = (colour: boolean): Paint =>
  Object.fromEntries(
    Object.entries(CODES).map(([name, code]) => [
      name,
      (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text),
    ]),
  ) as Paint;
