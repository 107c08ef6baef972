/** Any JSON value, as it travels on the wire. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object, as it travels on the wire. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The id of a JSON-RPC request. */
export type RequestId = string | number | null;

/** A JSON-RPC error object. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object under `key`, or an empty one: wire data is never trusted to have a shape. */
export function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  return isJsonObject(value) ? value : {};
}

/** The text under `key`, if it is a text. */
export function textAt(parent: JsonObject, key: string): string | undefined {
  const value = parent[key];
  return typeof value === "string" ? value : undefined;
}

/** Parses one JSON-RPC message; anything else is `undefined`. */
export function parseMessage(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The request id of a message, or `undefined` for a notification. */
export function requestIdOf(message: JsonObject): RequestId | undefined {
  const id = message.id;
  return typeof id === "string" || typeof id === "number" || id === null ? id : undefined;
}

/** Two JSON values that say the same, whatever the order of their keys. */
export function sameJson(left: JsonValue, right: JsonValue): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(",")}}`;
}
