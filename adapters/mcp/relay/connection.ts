/** A transport whose server may die and come again while its client, the host of a relay, stays. */
import { silence } from "../evidence.ts";
import { RELAYS, type Tap } from "../tap.ts";
import { wireOf } from "../transmit.ts";
import { tapOf } from "../transport.ts";

/** What its message handler returns is believed: a promise says whether the message was written to the host. */
export const asRelay = (transport: object): void => void RELAYS.add(transport);

/** What was sent and not answered is in doubt; the host hears of it, for its own connection goes on. */
export function connectionLost(transport: object): void {
  const tap = known(transport);
  tap.disconnect?.();
  tap.disconnect = undefined;
  for (const { flight } of tap.flights.values()) flight.settle(silence("connection_closed"));
  tap.flights.clear();
}

/** From here on the server can be asked: by hooks, and for resends. */
export function connectionReady(transport: object): void {
  const tap = known(transport);
  tap.disconnect ??= tap.guard.connected(tap.server, wireOf(tap));
}

/** Guarded calls that the host still waits for, and those whose answer nobody waits for but the record. */
export function unanswered(transport: object): number {
  const tap = known(transport);
  return Math.max(tap.calls.size, tap.flights.size);
}

function known(transport: object): Tap {
  const tap = tapOf(transport);
  if (!tap) throw new Error("This transport is not guarded.");
  return tap;
}
