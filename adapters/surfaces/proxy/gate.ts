/** What never goes to a server: tool calls in a form that the guard cannot follow. */
import { isUtf8 } from "node:buffer";
import { type Frame, isObject, isToolCall, type RequestId } from "../../mcp/relay/index.ts";
import { keysOf } from "./json-span.ts";
import { errorFrame, idOf, type Read } from "./messages.ts";

export const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
const UNREADABLE =
  "This names tools/call and is no JSON in UTF-8, so it is not sent: the server might read it, and nobody would know of the call.";
const BATCH = "A batch that contains tools/call is not sent. Send each call as a message of its own.";
const SHAPE =
  'This tools/call is not sent: it needs "jsonrpc": "2.0", an id that is a string or a number, and params with a name.';
const REPEATED =
  "A request with this id still waits for its answer, so this one is not sent. Give each request an id of its own.";

const TOOL_CALL = "tools/call";

/** Some parsers take `Method` for `method`. */
const namesToolCall = (message: unknown): boolean =>
  isObject(message) && Object.keys(message).some((key) => message[key] === TOOL_CALL && key.toLowerCase() === "method");

export interface Refused {
  /** What the host gets; nothing for a message without an id. */
  readonly reply: Frame | readonly Frame[] | undefined;
  readonly why: string;
}

/** Undefined: it may go on. */
export function refusalOf({ value, bytes }: Read): Refused | undefined {
  if (value === undefined) return mayNameToolCall(bytes) ? unreadable : undefined;
  if (Array.isArray(value)) return value.some(namesToolCall) ? { reply: batchReply(value), why: BATCH } : undefined;
  if (isToolCall(value)) return isUtf8(bytes) ? undefined : unreadable;
  return namesToolCall(value) || hidesToolCall({ value, bytes }) ? refused(idOf(value), SHAPE) : undefined;
}

/**
 * Not for us, but perhaps for a server whose parser takes NaN, a comma too many, a byte order mark or UTF-16. Text about
 * tool calls that is no JSON is refused, too: no protocol has such a message.
 */
function mayNameToolCall(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1").replaceAll("\0", "");
  const plain = text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll("\\/", "/");
  return plain.toLowerCase().includes(TOOL_CALL);
}

/** Of two keys of one name we take the last, as JavaScript does; others take the first. */
function hidesToolCall({ value, bytes }: Read): boolean {
  if (!isObject(value) || !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(TOOL_CALL))
    return false;
  return keysOf(Buffer.from(bytes).toString("utf8")).filter((key) => key === "method").length > 1;
}

const unreadable: Refused = {
  reply: { jsonrpc: "2.0", id: null, error: { code: PARSE_ERROR, message: UNREADABLE } },
  why: UNREADABLE,
};

export const refuseRepeatedId = (id: RequestId): Refused => refused(id, REPEATED);

const refused = (id: RequestId | undefined, why: string): Refused => ({
  reply: id === undefined ? undefined : errorFrame(id, INVALID_REQUEST, why),
  why,
});

/** A batch without ids has no answer; an empty one would be none that a host understands. */
function batchReply(batch: readonly unknown[]): readonly Frame[] | undefined {
  const replies = batch.map(idOf).flatMap((id) => (id === undefined ? [] : [errorFrame(id, INVALID_REQUEST, BATCH)]));
  return replies.length > 0 ? replies : undefined;
}
