/** The end of a connection: what is in flight is uncertain at once, and held replies come before the goodbye. */

import { silence } from "./evidence.ts";
import type { Call } from "./guarded-call.ts";
import { pass, type Tap } from "./tap.ts";

/** A reply that is not recorded by then is not waited for, in ms. */
const HELD_REPLY_LIMIT = 5_000;
const GOODBYE = Symbol("goodbye");

/** The client closes: it has heard of it when this resolves. */
export async function closing(tap: Tap, options: unknown[]): Promise<void> {
  await tap.close(...options);
  await tap.farewell;
}

/** The transport says that the connection is over. */
export function closed(tap: Tap, handler: (() => void) | undefined): void {
  if (tap.delivering === GOODBYE) {
    handler?.();
    return;
  }
  tap.facts.closed = true;
  tap.disconnect?.();
  tap.disconnect = undefined;
  for (const [key, { flight }] of tap.flights) {
    if (flight.http.reading) continue;
    flight.settle(silence("connection_closed"));
    tap.flights.delete(key);
  }
  for (const scope of tap.paused) scope.paused?.end();
  const held = [...tap.calls].filter(isHeld);
  if (held.length === 0) sayGoodbye(tap, handler);
  else tap.farewell = replies(held).then(() => sayGoodbye(tap, handler));
}

/** Its answer or its end is known and is being recorded; what is still being read is not waited for. */
const isHeld = (call: Call): boolean => call.listening && !call.flights.some(({ settled }) => !settled);

async function replies(held: readonly Call[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, HELD_REPLY_LIMIT);
  });
  await Promise.race([Promise.all(held.map(({ done }) => done)), limit]);
  clearTimeout(timer);
}

function sayGoodbye(tap: Tap, handler: (() => void) | undefined): void {
  tap.facts.gone = true;
  for (const call of tap.calls) call.abandoned = true;
  pass(tap, () => handler?.(), GOODBYE, undefined);
}
