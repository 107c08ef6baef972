/** One line per problem: path, what is wrong, what to write. */
import type { z } from "zod";
import { IndoubtError } from "./errors.ts";
import { NO_PRESET } from "./presets.ts";

export function invalid(code: "CONFIG_INVALID" | "CONTRACT_INVALID", what: string, error: z.ZodError): IndoubtError {
  return notValid(
    code,
    what,
    error.issues.flatMap((issue) => flatten(issue, [])),
  );
}

export function notValid(
  code: "CONFIG_INVALID" | "CONTRACT_INVALID",
  what: string,
  problems: readonly string[],
): IndoubtError {
  return new IndoubtError(code, `${what} is not valid:\n${problems.map((line) => `  ${line}`).join("\n")}`, {
    details: { problems },
  });
}

/** What zod says of a union that has no words of its own: then its branches speak. */
const UNSAID = "Invalid input";

/** What zod says of a term that was not written. */
const ABSENT = /^Invalid input: expected (.+), received undefined$/;
const UNKNOWN = "unknown option; check the spelling or remove it";
/** The mark of a contract that `contract()` has made. */
const SEAL = "fingerprint";
const CHANGED = "the contract was changed after contract(), or never made by it: give all of its terms to contract()";

function flatten(issue: z.core.$ZodIssue, at: PropertyKey[]): string[] {
  const path = [...at, ...issue.path];
  if (issue.code === "invalid_union" && issue.message === UNSAID) {
    const [meant = []] = [...issue.errors].sort((a, b) => likeness(a, path) - likeness(b, path));
    const lines = meant.flatMap((inner) => flatten(inner, path));
    return lines.length > 0 ? lines : [`${dotted(path)}: ${issue.message}`];
  }
  if (issue.code === "invalid_key") return issue.issues.map(({ message }) => `${dotted(path)}: ${message}`);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${dotted([...path, key])}: ${key === SEAL ? CHANGED : UNKNOWN}`);
  }
  return [`${dotted(path)}: ${issue.message.replace(ABSENT, "missing: expected $1")}`];
}

/**
 * Which branch was meant, least first: one that knows the names that were written, then one that was followed deepest,
 * then one with the fewest problems. A branch that wants something else altogether comes last.
 */
function likeness(branch: readonly z.core.$ZodIssue[], path: PropertyKey[]): number {
  const unknown = branch.reduce(
    (count, issue) => count + (issue.code === "unrecognized_keys" ? issue.keys.length : 0),
    0,
  );
  const other =
    branch.every((issue) => issue.path.length === 0 && issue.code !== "unrecognized_keys") ||
    branch.some(({ message }) => message === NO_PRESET);
  const lines = branch.flatMap((issue) => flatten(issue, path));
  return (other ? 1e9 : 0) + unknown * 1e6 - deepest(lines) * 1e3 + lines.length;
}

const deepest = (lines: readonly string[]): number =>
  Math.max(0, ...lines.map((line) => line.split(":", 1)[0]?.split(".").length ?? 0));
const dotted = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? "(top level)" : path.map(String).join(".");
