/** Filters of the queue as people type them: `--filter tool=charge_card --filter older=10m`. */
import type { Command } from "commander";
import type { QueueFilter } from "../../../src/entries/queue.ts";
import type { State } from "../../../src/index.ts";
import { UsageError } from "./exit.ts";

type Filter = Omit<QueueFilter, "limit" | "cursor">;
type Key = "server" | "tool" | "state" | "reason" | "conflict" | "older" | "newer" | "principal" | "text" | "index";

const STATES: Readonly<Record<State, true>> = {
  ready: true,
  in_flight: true,
  uncertain: true,
  unresolved: true,
  succeeded: true,
  failed: true,
  rejected: true,
  applied: true,
  not_applied: true,
  partial: true,
  abandoned: true,
};

const READERS: Readonly<Record<Key, (value: string) => Filter>> = {
  server: (server) => ({ server }),
  tool: (tool) => ({ tool }),
  state: (state) => ({ state: oneOf("state", state, Object.keys(STATES) as State[]) }),
  reason: (reason) => ({ reason }),
  conflict: (value) => ({ conflict: oneOf("conflict", value, ["true", "false"] as const) === "true" }),
  older: (value) => ({ olderThan: milliseconds("older", value) }),
  newer: (value) => ({ newerThan: milliseconds("newer", value) }),
  principal: (principal) => ({ principal }),
  text: (text) => ({ text }),
  index: (index) => ({ index: oneOf("index", index, ["attention", "open"] as const) }),
};

export const FILTER_KEYS = Object.keys(READERS) as Key[];

/** Options of `queue list`, `watch` and `export`: one for each key, and `--filter` for all of them. */
export function withFilters(command: Command): Command {
  return withFilter(command)
    .option("--server <name>", "of this server")
    .option("--tool <name>", "of this tool")
    .option("--state <state>", "in this state")
    .option("--reason <code>", "with this reason")
    .option("--older <age>", "issued at least so long ago: 30s, 10m, 24h")
    .option("--newer <age>", "issued less than so long ago")
    .option("--principal <name>", "of this principal")
    .option("--text <words>", "in id, server, tool, reason, reference or redacted arguments")
    .option("--conflict", "with contradicting evidence only")
    .option("--open", "instead: what is under way, or settled and not closed yet");
}

export const withFilter = (command: Command): Command =>
  command.option(
    "-f, --filter <key=value>",
    `only what fits; may be repeated (${FILTER_KEYS.join(", ")})`,
    (value: string, before: string[] = []) => [...before, value],
  );

export interface FilterOptions {
  readonly filter?: readonly string[];
  readonly server?: string;
  readonly tool?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly older?: string;
  readonly newer?: string;
  readonly principal?: string;
  readonly text?: string;
  readonly conflict?: boolean;
  readonly open?: boolean;
}

/** @throws UsageError for what is no filter */
export function filterOf(options: FilterOptions): Filter {
  const named = FILTER_KEYS.flatMap((key) => {
    const value = key === "index" || key === "conflict" ? undefined : options[key];
    return value === undefined ? [] : [READERS[key](value)];
  });
  return Object.assign(
    {},
    options.conflict ? { conflict: true } : {},
    options.open ? { index: "open" } : {},
    ...named,
    ...(options.filter ?? []).map(read),
  ) as Filter;
}

function read(text: string): Filter {
  const [, key = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!Object.hasOwn(READERS, key) || value === "") {
    throw new UsageError(`"${text}" is no filter`, `Write KEY=VALUE, with one of: ${FILTER_KEYS.join(", ")}.`);
  }
  return READERS[key as Key](value);
}

export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  throw new UsageError(`${name} is "${value}"`, `Write one of: ${allowed.join(", ")}.`);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @throws UsageError for what is no duration */
export function milliseconds(name: string, text: string): number {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (number !== undefined) return Number(number) * (UNITS[unit] ?? 0);
  throw new UsageError(
    `${name} is "${text}", which is no duration`,
    'Write a number with a unit: "30s", "10m", "24h".',
  );
}

/** @throws UsageError for what is no whole number, or is too small or too large */
export function wholeNumber(name: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  throw new UsageError(`${name} is "${text}"`, `Write a whole number, ${range}.`);
}
