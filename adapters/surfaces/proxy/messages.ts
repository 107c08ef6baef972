/** JSON-RPC messages beside the bytes that they came in. */
import { type Frame, isObject, parseExact, type RequestId } from "../../mcp/relay/index.ts";

const came = new WeakMap<object, Uint8Array>();

export interface Read {
  readonly bytes: Uint8Array;
  /** Undefined: no JSON. */
  readonly value: unknown;
}

/** The bytes stay with the value: whoever passes the same object on passes the same bytes on. */
export function readMessage(bytes: Uint8Array): Read {
  const value = parsed(bytes);
  if (typeof value === "object" && value !== null) came.set(value, bytes);
  return { bytes, value };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseExact(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** One line: as it came, or written by us. */
export const bytesOf = (message: object): Uint8Array =>
  came.get(message) ?? Buffer.from(`${JSON.stringify(message)}\n`);

/** Binds a message that we derived to the bytes that stand for it. */
export function withBytes<T extends object>(message: T, bytes: Uint8Array): T {
  came.set(message, bytes);
  return message;
}

export const errorFrame = (id: RequestId, code: number, message: string): Frame => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

/** Any id that an answer may carry, also of a message that is no proper request. */
export const idOf = (message: unknown): RequestId | undefined => {
  if (!isObject(message)) return undefined;
  return typeof message.id === "string" || typeof message.id === "number" ? message.id : undefined;
};
