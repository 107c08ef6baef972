/** JSON Pointers against a JSON Schema: only what cannot be there is told. */
import { z } from "zod";
import { parsePointer } from "./pointer.ts";

/** Words that move a part of the schema elsewhere: then nothing is ruled out. */
const OPEN = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if"];

/** Whether a value that fits the schema cannot have anything at the pointer. */
export const impossibleAt = (schema: unknown, pointer: string): boolean =>
  impossibleIn(schema, parsePointer(pointer) ?? []);

/** Only a plain object schema that lists its properties can rule a name out. */
function impossibleIn(schema: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || typeof schema !== "object" || schema === null) return false;
  if (OPEN.some((word) => word in schema)) return false;
  if ("items" in schema) return /^\d+$/.test(name) ? impossibleIn(schema.items, rest) : true;
  const { properties, additionalProperties } = schema as { properties?: unknown; additionalProperties?: unknown };
  if (typeof properties !== "object" || properties === null) return false;
  if (Object.hasOwn(properties, name)) return impossibleIn((properties as Record<string, unknown>)[name], rest);
  return additionalProperties === undefined || additionalProperties === false;
}

/** A schema that zod cannot express is not enforced: the server checks its own input anyway. */
export function zodOf(schema: unknown): z.ZodType | null {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return null;
  }
}

/** Why a value cannot stand at the pointer, in the words of the schema; undefined: it can, as far as is known. */
export function misfitAt(schema: unknown, pointer: string, value: unknown): string | undefined {
  const place = partAt(schema, parsePointer(pointer) ?? []);
  const checked = place === undefined ? undefined : zodOf(place)?.safeParse(value);
  return checked && !checked.success ? checked.error.issues.map(({ message }) => message).join("; ") : undefined;
}

function partAt(schema: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return schema;
  if (typeof schema !== "object" || schema === null || OPEN.some((word) => word in schema)) return undefined;
  const { properties, items } = schema as { properties?: unknown; items?: unknown };
  if (items !== undefined) return /^\d+$/.test(name) ? partAt(items, rest) : undefined;
  if (typeof properties !== "object" || properties === null || !Object.hasOwn(properties, name)) return undefined;
  return partAt((properties as Record<string, unknown>)[name], rest);
}
