/** The worker's log: one line per event, for people or as JSON. */
import { safeJson, visible } from "../text.ts";

type Level = "info" | "warn" | "error";
export type Log = (level: Level, event: string, facts?: Readonly<Record<string, unknown>>) => void;

export function newLog(format: "text" | "json"): Log {
  return (level, event, facts = {}) => {
    const at = new Date().toISOString();
    const line = format === "json" ? safeJson({ at, level, event, ...facts }) : asText(at, level, event, facts);
    process.stdout.write(`${line}\n`);
  };
}

const asText = (at: string, level: Level, event: string, facts: Readonly<Record<string, unknown>>): string =>
  [at, level.padEnd(5), event, ...Object.entries(facts).map(([name, value]) => `${name}=${word(value)}`)].join(" ");

const word = (value: unknown): string => {
  const text = typeof value === "string" ? value : safeJson(value);
  return /^[\w.:@/+-]+$/.test(text) ? text : typeof value === "string" ? safeJson(value) : visible(text);
};
