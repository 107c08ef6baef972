/** Durations as people write them: `"24h"`, `"30s"`, `"500ms"`, or a number of ms. */
import { z } from "zod";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export function parseDuration(value: number | string): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : undefined;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value.trim());
  return match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : undefined;
}

const WORDS = [
  ["days", UNITS.d],
  ["hours", UNITS.h],
  ["minutes", UNITS.m],
  ["seconds", UNITS.s],
] as const;

/** In the largest unit of which it is more than one, and a whole number. */
export function durationWords(ms: number): string {
  const [name, size] = WORDS.find(([, size]) => ms % size === 0 && ms > size) ?? (["ms", 1] as const);
  return `${ms / size} ${name}`;
}

/** A duration in ms. Input: ms, or a text with a unit. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const CURE = 'write a number of milliseconds or a text such as "30s", "10m", "24h"';

const texts = z
  .union([z.number(), z.string()], {
    error: ({ input }) => `${input === undefined ? "missing" : "not a duration"}: ${CURE}`,
  })
  .transform((value, context) => {
    const ms = parseDuration(value);
    if (ms !== undefined) return ms;
    context.addIssue({ code: "custom", message: `"${value}" is not a duration: ${CURE}` });
    return z.NEVER;
  });

/** The parser reads any text, to say what is wrong with it; the type admits only the right ones. */
export const durationSchema = texts as unknown as z.ZodType<number, Duration>;
