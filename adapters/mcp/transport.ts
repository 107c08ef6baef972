/** Instruments a transport in place: the object that the client holds stays the same object. */

import type { GuardedCalls } from "../../src/entries/wire.ts";
import { IndoubtError } from "../../src/index.ts";
import { closed, closing } from "./closing.ts";
import { inbound } from "./inbound.ts";
import { outbound } from "./outbound.ts";
import { createTap, type McpTransport, type MessageHandler, type SendOptions, type Tap } from "./tap.ts";

export interface GuardTransportOptions {
  /**
   * Time for a call whose context names no deadline, in ms. The client's own request timer (60 s in the SDKs) still
   * runs beside it: keep this below, or use `guardClient`, which moves that timer out of the way.
   * @default the guard's own deadline
   * @example 30_000
   */
  readonly deadline?: number;
}

const TAP = Symbol.for("indoubt.mcp.tap");

/**
 * Puts every `tools/call` that goes through a transport under the guard. Works before and after `connect`, for SDK v1,
 * SDK v2 (both eras) and `@ai-sdk/mcp`, over any transport.
 *
 * - A call is recorded before it is sent, and its answer before it is handed over.
 * - A call in doubt, held, recalled or joined is answered here, as an `isError` or marked result; nothing is sent.
 * - Cancellations of guarded calls go out only where the tool's policy forwards them and the caller itself left.
 * - Everything else passes untouched.
 *
 * Prefer {@link guardClient} where you own the client: only there the client's timers cannot decide first.
 *
 * @param server the name of the server in the guard's configuration; never what the server says of itself
 * @param transport instrumented in place; a second call with the same server changes nothing
 * @returns the same transport
 * @throws IndoubtError CONFIG_INVALID when the transport is guarded already, as another server or by another guard
 * @example
 * const transport = guardTransport(guard, "billing.acme", new StdioClientTransport({ command: "billing-mcp" }));
 * await client.connect(transport);
 */
export function guardTransport<T extends McpTransport>(
  guard: GuardedCalls,
  server: string,
  transport: T,
  options: GuardTransportOptions = {},
): T {
  const present = tapOf(transport);
  if (present) {
    if (present.guard === guard && present.server === server) return transport;
    const text = `This transport is guarded already, as server "${present.server}". Give each server a transport of its own.`;
    throw new IndoubtError("CONFIG_INVALID", text);
  }
  install(createTap(guard, server, transport, options.deadline));
  return transport;
}

export function tapOf(transport: object): Tap | undefined {
  return Reflect.get(transport, TAP) as Tap | undefined;
}

function install(tap: Tap): void {
  const { transport } = tap;
  Object.defineProperty(transport, TAP, { value: tap });
  wrapHandler(transport, "onmessage", (handler: MessageHandler | undefined) => {
    tap.onmessage = handler;
    return handler && ((message: unknown, extra?: unknown) => inbound(tap, message, extra, handler));
  });
  wrapHandler(transport, "onclose", (handler: (() => void) | undefined) => () => closed(tap, handler));
  Object.assign(transport, {
    send: (message: unknown, options?: SendOptions) => outbound(tap, message, options),
    close: (...options: unknown[]) => closing(tap, options),
  });
}

/**
 * Each handler that is assigned gets a wrapper of its own, bound to it: clients read the old handler and chain it, so a
 * wrapper that looked the handler up when it is called would call itself.
 */
function wrapHandler<H>(transport: McpTransport, name: "onmessage" | "onclose", wrap: (handler: H) => unknown): void {
  let wrapped = wrap(transport[name] as H);
  Object.defineProperty(transport, name, {
    configurable: true,
    enumerable: true,
    get: () => wrapped,
    set: (handler: H) => {
      wrapped = wrap(handler);
    },
  });
}
