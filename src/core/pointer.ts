/** JSON Pointer (RFC 6901) over plain JSON. */
import type { JsonObject, JsonValue } from "./terms.ts";

/** `/a/b~1c` -> ["a", "b/c"]; undefined when it is not a pointer. */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

const own = (value: JsonValue | undefined, part: string): JsonValue | undefined => {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(part) ? value[Number(part)] : undefined;
  return typeof value === "object" && value !== null && Object.hasOwn(value, part) ? value[part] : undefined;
};

export function readPointer(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  return (parsePointer(pointer) ?? [""]).reduce<JsonValue | undefined>(own, value);
}

/** A copy with one value set; objects on the way are created, the original is untouched. */
export function withPointer(object: JsonObject, pointer: string, value: JsonValue): JsonObject {
  const parts = parsePointer(pointer) ?? [];
  return setAt(object, parts, value) as JsonObject;
}

function setAt(target: JsonValue | undefined, [part, ...rest]: string[], value: JsonValue): JsonValue {
  if (part === undefined) return value;
  if (Array.isArray(target)) {
    return target.map((item, index) => (String(index) === part ? setAt(item, rest, value) : item));
  }
  const base = typeof target === "object" && target !== null ? target : {};
  return { ...base, [part]: setAt(base[part], rest, value) };
}

/** A copy without the named values. */
export function withoutPointers(object: JsonObject, pointers: readonly string[]): JsonObject {
  return pointers.reduce<JsonObject>(
    (rest, pointer) => dropAt(rest, parsePointer(pointer) ?? []) as JsonObject,
    object,
  );
}

function dropAt(target: JsonValue, [part, ...rest]: string[]): JsonValue {
  if (part === undefined || typeof target !== "object" || target === null) return target;
  if (Array.isArray(target)) return target.map((item, index) => (String(index) === part ? dropAt(item, rest) : item));
  if (!Object.hasOwn(target, part)) return target;
  if (rest.length > 0) return { ...target, [part]: dropAt(target[part] as JsonValue, rest) };
  const { [part]: _dropped, ...kept } = target;
  return kept;
}
