/** A probe that asks a database: a fixed statement, and values that are bound, never written into its text. */

import { type BaselineRule, type Found, probe } from "../../../src/entries/probe.ts";
import { IndoubtError, type JsonValue, type ReconcileOptions } from "../../../src/index.ts";

/** Runs one statement with bound values. Give it a connection that may only read. */
export type QueryFunction = (
  sql: string,
  values: readonly JsonValue[],
  signal: AbortSignal,
) => Promise<readonly object[]> | readonly object[];

export interface SqlProbeOptions extends Omit<ReconcileOptions, "look" | "baseline"> {
  /**
   * @example (sql, values) => pool.query(sql, [...values]).then(({ rows }) => rows)
   */
  readonly query: QueryFunction;
  /**
   * The statement, with the placeholders of your database.
   * @example "select id, reference from invoices where reference = $1"
   */
  readonly sql: string;
  /**
   * What is bound to the placeholders, with places to fill in.
   * @default []
   * @example ["{{key}}"]
   */
  readonly values?: readonly JsonValue[] | undefined;
  /**
   * Which rows are the effect, and where a row has its reference. `filtered: true` says that the statement picks them.
   * @default all rows, without correlation
   * @example { filtered: true, ref: "/id" }
   */
  readonly found?: Omit<Found, "at" | "parse"> | undefined;
  /**
   * What to read before the first send, where a row shows no key.
   * @default none
   * @example { watermark: "/id" }
   */
  readonly baseline?: BaselineRule | undefined;
}

/** A statement that is no single question. What lies inside quotes does not count. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g;
const WRITES = /\b(insert|update|delete|merge|replace|drop|alter|create|truncate|grant|revoke|call|copy|into)\b/i;

/**
 * A look at a database, with your own connection and its own rights.
 *
 * @throws IndoubtError CONFIG_INVALID for a template in the statement, several statements, or one that writes
 * @example
 * reconcile: sqlProbe({
 *   query: (sql, values) => pool.query(sql, [...values]).then(({ rows }) => rows),
 *   sql: "select id from invoices where reference = $1",
 *   values: ["{{key}}"],
 *   found: { filtered: true, ref: "/id" },
 *   settle: "30s",
 * })
 */
export function sqlProbe(options: SqlProbeOptions): ReconcileOptions {
  const { query, sql, values = [], found = {}, baseline, ...limits } = options;
  refuseText(sql);
  const look = probe({ request: { values: [...values] }, found, baseline }, async ({ values: bound }, { signal }) => {
    const rows = await query(sql, bound as JsonValue[], signal);
    // Dates and numbers of a driver become what they are as JSON.
    return JSON.parse(JSON.stringify([...rows], writable)) as JsonValue;
  });
  return { ...limits, look, ...(look.before && { baseline: look.before }) };
}

const writable = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

function refuseText(sql: string): void {
  const plain = sql.replace(PARTS, " ");
  const refuse = (what: string, cure: string): never => {
    throw new IndoubtError("CONFIG_INVALID", `sqlProbe: sql ${what}. ${cure}`);
  };
  if (sql.includes("{{")) refuse("has a place to fill in", "Bind it: write a placeholder, and the place into values.");
  if (/;\s*\S/.test(plain)) refuse("has several statements", "Ask one question.");
  if (!/^\s*(select|with|show|values|table)\b/i.test(plain)) refuse("does not begin with select", "A look only reads.");
  if (WRITES.test(plain))
    refuse("has a word that writes", "A look only reads; read through a view if a column is named so.");
}
