/**
 * Whether the host got a reply. A reply is written and, a moment later, the host's cancellation is read: it gave up before
 * it saw the reply. So a written reply counts as delivered only with the next word of the host that is no such
 * cancellation, or when it says nothing for a while.
 */
import { idKey, isObject, type RequestId } from "../../mcp/relay/index.ts";

/** A host that says nothing for so long has not given up on a reply that it could already read, in ms. */
const SILENCE = 1_000;

export interface Receipts {
  /** Resolves to the receipt of a reply to this request. */
  await(id: RequestId, written: Promise<boolean>): Promise<boolean>;
  /** The host said something. Resolves when what it means for earlier replies has been taken in. */
  heard(message: unknown): Promise<void> | undefined;
  /** The host left in order, or we do: what was written to it, it got. Nothing waits for its word from here on. */
  left(): Promise<void> | undefined;
}

interface Waiting {
  readonly settle: (received: boolean) => void;
  written: boolean;
}

export function receipts(): Receipts {
  const waiting = new Map<string, Waiting>();
  let over = false;
  const heard = (message: unknown): Promise<void> | undefined => {
    if (waiting.size === 0) return undefined;
    const cancelled = cancelledIn(message);
    for (const [key, { settle, written }] of waiting) {
      if (key === cancelled) settle(false);
      else if (written) settle(true);
    }
    // The guard notes a delivery a few promises later; the message that proved it must find it noted.
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
  return {
    heard,
    left() {
      over = true;
      return heard(undefined);
    },
    async await(id, written) {
      if (over) return written;
      const key = idKey(id) ?? "";
      let settle: (received: boolean) => void = () => {};
      const received = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      const entry: Waiting = { settle, written: false };
      waiting.set(key, entry);
      entry.written = await written;
      if (!entry.written) settle(false);
      const timer = setTimeout(settle, SILENCE, true);
      const yes = await received;
      clearTimeout(timer);
      if (waiting.get(key) === entry) waiting.delete(key);
      return yes;
    },
  };
}

export function cancelledIn(message: unknown): string | undefined {
  if (!isObject(message) || message.method !== "notifications/cancelled") return undefined;
  return isObject(message.params) ? idKey(message.params.requestId) : undefined;
}
