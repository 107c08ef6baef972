/** One line per problem: path, what is wrong, what to write. */
import type { z } from "zod";
import { IndoubtError } from "./errors.ts";

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

function flatten(issue: z.core.$ZodIssue, at: PropertyKey[]): string[] {
  const path = [...at, ...issue.path];
  if (issue.code === "invalid_union" && issue.message === UNSAID) {
    const branches = issue.errors.map((branch) => branch.flatMap((inner) => flatten(inner, path)));
    const best = branches.sort((a, b) => deepest(b) - deepest(a) || a.length - b.length)[0];
    return best && best.length > 0 ? best : [`${dotted(path)}: ${issue.message}`];
  }
  if (issue.code === "invalid_key") return issue.issues.map(({ message }) => `${dotted(path)}: ${message}`);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${dotted([...path, key])}: unknown option; check the spelling or remove it`);
  }
  return [`${dotted(path)}: ${issue.message}`];
}

const deepest = (lines: readonly string[]): number =>
  Math.max(0, ...lines.map((line) => line.split(":", 1)[0]?.split(".").length ?? 0));
const dotted = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? "(top level)" : path.map(String).join(".");
