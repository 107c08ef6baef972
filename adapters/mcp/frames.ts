/** JSON-RPC frames as they pass by: told apart by shape alone, never parsed strictly, never changed in place. */
import type { JsonObject, JsonValue } from "../../src/index.ts";

export type RequestId = string | number;

export interface Frame {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonValue;
  readonly error?: JsonValue;
}

export interface ToolCallParams extends JsonObject {
  name: string;
}

export interface ToolCallFrame extends Frame {
  readonly id: RequestId;
  readonly method: "tools/call";
  readonly params: ToolCallParams;
}

/** A request that goes out with an id of its own. */
export type RequestFrame = Frame & { readonly id: RequestId; readonly method: string; readonly params: JsonObject };

export const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
/** What every request of the 2026 era carries; a request of our own copies it from the client's. */
const ENVELOPE = [
  PROTOCOL_VERSION,
  "io.modelcontextprotocol/clientCapabilities",
  "io.modelcontextprotocol/clientInfo",
] as const;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isFrame = (value: unknown): value is Frame => isObject(value) && value.jsonrpc === "2.0";

export const isToolCall = (frame: unknown): frame is ToolCallFrame =>
  isFrame(frame) &&
  frame.method === "tools/call" &&
  (typeof frame.id === "string" || typeof frame.id === "number") &&
  isObject(frame.params) &&
  typeof frame.params.name === "string";

/** A result or an error, whoever it is for. */
export const isAnswer = (frame: Frame): boolean =>
  frame.method === undefined && ("result" in frame || "error" in frame);

export const isRequest = (frame: unknown): frame is Frame & { readonly id: RequestId; readonly method: string } =>
  isFrame(frame) && typeof frame.method === "string" && (typeof frame.id === "string" || typeof frame.id === "number");

/**
 * How ids compare: as numbers where they are numbers, as the SDKs do (`"1"` answers `1`). Text that no number is
 * written as stays text: `""` is not 0, and long digits must not be rounded into one another. Undefined for null and
 * for a missing id: `Number(null)` is 0, which is the first id of the 2026 era.
 */
export function idKey(id: unknown): string | undefined {
  if (typeof id !== "number" && typeof id !== "string") return undefined;
  return String(Number(id)) === String(id) ? `number:${id}` : `text:${id}`;
}

export const metaOf = (frame: Frame): JsonObject => (isObject(frame.params?._meta) ? frame.params._meta : {});

/** The 2026 era says so in each request. */
export const isModern = (frame: Frame): boolean => typeof metaOf(frame)[PROTOCOL_VERSION] === "string";

export function envelopeOf(frame: Frame): JsonObject | undefined {
  const meta = metaOf(frame);
  if (meta[PROTOCOL_VERSION] === undefined) return undefined;
  return Object.fromEntries(ENVELOPE.flatMap((name) => (meta[name] === undefined ? [] : [[name, meta[name]]])));
}

export const isTask = (frame: ToolCallFrame): boolean => frame.params.task !== undefined;

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const TASKS = "io.modelcontextprotocol/tasks";

/** The caller expects a handle and asks for the task itself: by `task` in the 2025 era, by its capabilities in 2026. */
export function followsTasks(frame: ToolCallFrame): boolean {
  const capabilities = metaOf(frame)[CAPABILITIES];
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined;
  return isTask(frame) || (isObject(extensions) && extensions[TASKS] !== undefined);
}

/** The same frame for another id; the very same object where the ids already compare equal. */
export const withId = (frame: Frame, id: RequestId): Frame =>
  idKey(frame.id) === idKey(id) ? frame : { ...frame, id };
