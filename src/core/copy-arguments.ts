/** Arguments as plain JSON, or what about them is none, with its place and the cure. */
import type { JsonObject, JsonValue } from "./terms.ts";

/** Why a value cannot be sent as JSON without changing its meaning. */
export interface NotJson {
  readonly at: string;
  readonly what: string;
  readonly cure: string;
}

export type Copied = { readonly kind: "json"; readonly value: JsonObject } | ({ readonly kind: "not_json" } & NotJson);

const MAX_DEPTH = 200;

/** A deep copy of the arguments as they will be sent: the caller may change its own object afterwards. */
export function copyArguments(value: unknown): Copied {
  const problem: { found?: NotJson } = {};
  const copy = readValue(value ?? {}, problem);
  if (problem.found) return { kind: "not_json", ...problem.found, at: problem.found.at || "/" };
  if (typeof copy !== "object" || copy === null || Array.isArray(copy)) {
    return { kind: "not_json", at: "", what: "not an object", cure: "Pass the arguments as one JSON object." };
  }
  return { kind: "json", value: copy };
}

function readValue(value: unknown, problem: { found?: NotJson }): JsonValue {
  try {
    return copyValue(value, 0, [], problem);
  } catch {
    problem.found ??= {
      at: "/",
      what: "a getter or toJSON that throws",
      cure: "Convert it to plain JSON before the call.",
    };
    return null;
  }
}

/** The place of a problem is told on the way out, so that a sound value costs no path. */
function copyValue(value: unknown, depth: number, path: object[], problem: { found?: NotJson }): JsonValue {
  const fail = (what: string, cure: string): JsonValue => {
    problem.found ??= { at: "", what, cure };
    return null;
  };
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : fail("a string with a lone surrogate", "Repair the text encoding.");
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : fail(String(value), "Send a finite number or leave the field out.");
    case "bigint":
      return fail("a BigInt", "Send it as a string, or as a number if it is below 2^53.");
    case "object":
      break;
    default:
      return fail(typeof value, "Leave the field out or use null.");
  }
  if (value === null) return null;
  if (depth > MAX_DEPTH) return fail(`nested deeper than ${MAX_DEPTH}`, "Flatten the arguments.");
  if (path.includes(value)) return fail("a cycle", "Break the reference to an enclosing object.");
  if (!Array.isArray(value)) {
    if ("toJSON" in value && typeof value.toJSON === "function") {
      return copyValue(value.toJSON(), depth + 1, path, problem);
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      return fail(`a ${prototype.constructor?.name ?? "class"} instance`, "Convert it to plain JSON before the call.");
    }
  }
  path.push(value);
  const copy = Array.isArray(value) ? copyItems(value, depth, path, problem) : copyFields(value, depth, path, problem);
  path.pop();
  return copy;
}

/** A hole is undefined, and is told as such. */
function copyItems(items: unknown[], depth: number, path: object[], problem: { found?: NotJson }): JsonValue {
  const copy: JsonValue[] = [];
  for (let index = 0; index < items.length; index += 1) {
    copy.push(copyValue(items[index], depth + 1, path, problem));
    if (problem.found) return within(`${index}`, problem);
  }
  return copy;
}

function copyFields(fields: object, depth: number, path: object[], problem: { found?: NotJson }): JsonValue {
  const copy: JsonObject = {};
  for (const name of Object.keys(fields)) {
    if (!name.isWellFormed()) {
      problem.found = { at: "", what: "a name with a lone surrogate", cure: "Repair the text encoding." };
      return null;
    }
    const copied = copyValue((fields as JsonObject)[name], depth + 1, path, problem);
    if (problem.found) return within(name, problem);
    if (name === "__proto__") Object.defineProperty(copy, name, { ...AS_FIELD, value: copied });
    else copy[name] = copied;
  }
  return copy;
}

/** Assigning to this name would set the prototype. */
const AS_FIELD = { enumerable: true, writable: true, configurable: true };

function within(name: string, problem: { found?: NotJson }): null {
  const { at, ...rest } = problem.found as NotJson;
  problem.found = { ...rest, at: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}${at}` };
  return null;
}
