/**
 * Templates of a probe: JSON with places to fill in. Only what is on record may be filled in, so that a look can never
 * depend on anything that a model said later.
 */
import { parsePointer, readPointer } from "../core/pointer.ts";
import type { JsonObject, JsonValue } from "../core/terms.ts";
import type { Baseline, Intent } from "../reconcile-api.ts";

export type Field =
  | { readonly kind: "key" }
  | { readonly kind: "argument"; readonly at: string }
  | { readonly kind: "baseline"; readonly name: "count" | "watermark" }
  | { readonly kind: "intent"; readonly name: "operation" | "issuedAt" | "age" | "attempts" };

export type Filled =
  | { readonly kind: "filled"; readonly value: JsonValue }
  /** In words. */
  | { readonly kind: "missing"; readonly what: string };

const PLACE = /\{\{\s*([^{}]*?)\s*\}\}/g;
const ALLOWED =
  "{{key}}, {{arguments/pointer}} such as {{arguments/order}}, {{baseline.count}}, {{baseline.watermark}}, {{intent.issuedAt}}, {{intent.age}}, {{intent.attempts}}, {{intent.operation}}";

/** @returns undefined for a name that no template may use */
function fieldOf(name: string): Field | undefined {
  if (name === "key") return { kind: "key" };
  const argument = /^arguments\.?(\/.*)$/s.exec(name)?.[1];
  if (argument !== undefined && parsePointer(argument)) return { kind: "argument", at: argument };
  const [root, rest = ""] = name.split(".", 2);
  if (root === "baseline" && (rest === "count" || rest === "watermark")) return { kind: "baseline", name: rest };
  if (root === "intent" && ["operation", "issuedAt", "age", "attempts"].includes(rest)) {
    return { kind: "intent", name: rest as "age" };
  }
  return undefined;
}

/** Everything that a template names. `wrong`: names that it may not use, in words. */
export function fieldsIn(template: JsonValue): {
  readonly fields: readonly Field[];
  readonly wrong: readonly string[];
} {
  const names = texts(template).flatMap((text) => [...text.matchAll(PLACE)].map(([, name = ""]) => name));
  const known = names.map((name) => [name, fieldOf(name)] as const);
  return {
    fields: known.flatMap(([, field]) => field ?? []),
    wrong: known.flatMap(([name, field]) => (field ? [] : [`{{${name}}} is nothing that a probe may use: ${ALLOWED}`])),
  };
}

function texts(template: JsonValue): string[] {
  if (typeof template === "string") return [template];
  if (typeof template !== "object" || template === null) return [];
  return Object.values(template).flatMap((part) => texts(part as JsonValue));
}

/** A place that is a whole text takes the value as it is; inside a text it is written out. */
export function fill(template: JsonValue, intent: Intent, baseline: Baseline | undefined): Filled {
  const missing: string[] = [];
  const value = fillIn(template, (name) => {
    const found = readField(fieldOf(name), intent, baseline);
    if (found === undefined) missing.push(`{{${name}}}`);
    return found ?? null;
  });
  if (missing.length === 0) return { kind: "filled", value };
  return {
    kind: "missing",
    what: `${missing.join(", ")} is not on record (left out of the call, redacted, or not read before the send)`,
  };
}

function fillIn(template: JsonValue, read: (name: string) => JsonValue): JsonValue {
  if (typeof template === "string") {
    const whole = /^\{\{\s*([^{}]*?)\s*\}\}$/.exec(template)?.[1];
    if (whole !== undefined) return read(whole);
    return template.replace(PLACE, (_place, name: string) => {
      const value = read(name);
      return typeof value === "string" ? value : JSON.stringify(value);
    });
  }
  if (Array.isArray(template)) return template.map((part) => fillIn(part, read));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, part]) => [name, fillIn(part, read)])) as JsonObject;
}

function readField(field: Field | undefined, intent: Intent, baseline: Baseline | undefined): JsonValue | undefined {
  switch (field?.kind) {
    case "key":
      return intent.key;
    case "argument":
      return readPointer(intent.arguments, field.at);
    case "baseline":
      return baseline?.[field.name];
    case "intent":
      return intent[field.name];
    default:
      return undefined;
  }
}
