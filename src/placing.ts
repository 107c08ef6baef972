/** Puts the key where the contract says, and nowhere else. Copy on write: the caller's object is never touched. */
import { type Contract, type KeyPlace, keyText } from "./core/contract.ts";
import { withPointer } from "./core/pointer.ts";
import type { JsonObject } from "./core/terms.ts";
import type { Wire } from "./wire.ts";

export interface Placed {
  readonly arguments: JsonObject;
  readonly meta?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Undefined when this connection cannot place it: then nothing may be sent. */
export function placeKey(
  place: KeyPlace | undefined,
  contract: Contract | undefined,
  mint: () => string,
  args: JsonObject,
  wire: Wire,
): Placed | undefined {
  if (!place) return { arguments: args };
  const key = keyText(contract, mint());
  if ("argument" in place) return { arguments: withPointer(args, place.argument, key) };
  if ("meta" in place) return { arguments: args, meta: { [place.meta]: key } };
  return wire.headers ? { arguments: args, headers: { [place.header]: key } } : undefined;
}
