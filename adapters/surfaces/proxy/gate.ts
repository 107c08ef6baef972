/** What never goes to a server: tool calls in a form that the guard cannot follow. */
import { type Frame, isObject, isToolCall, type RequestId } from "../../mcp/relay/index.ts";
import { errorFrame, idOf } from "./messages.ts";

export const INVALID_REQUEST = -32600;
const BATCH = "A batch that contains tools/call is not sent. Send each call as a message of its own.";
const SHAPE =
  'This tools/call is not sent: it needs "jsonrpc": "2.0", an id that is a string or a number, and params with a name.';
const REPEATED =
  "A request with this id still waits for its answer, so this one is not sent. Give each request an id of its own.";

const namesToolCall = (message: unknown): boolean => isObject(message) && message.method === "tools/call";

export interface Refused {
  /** What the host gets; nothing for a message without an id. */
  readonly reply: Frame | readonly Frame[] | undefined;
  readonly why: string;
}

/** Undefined: it may go on. */
export function refusalOf(message: unknown): Refused | undefined {
  if (Array.isArray(message))
    return message.some(namesToolCall) ? { reply: batchReply(message), why: BATCH } : undefined;
  if (!namesToolCall(message) || isToolCall(message)) return undefined;
  return refused(idOf(message), SHAPE);
}

export const refuseRepeatedId = (id: RequestId): Refused => refused(id, REPEATED);

const refused = (id: RequestId | undefined, why: string): Refused => ({
  reply: id === undefined ? undefined : errorFrame(id, INVALID_REQUEST, why),
  why,
});

const batchReply = (batch: readonly unknown[]): readonly Frame[] =>
  batch.map(idOf).flatMap((id) => (id === undefined ? [] : [errorFrame(id, INVALID_REQUEST, BATCH)]));
