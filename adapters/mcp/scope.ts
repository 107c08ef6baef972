/** What travels unseen from the client call down to the wire and to `fetch`: two stores, nothing of it is public. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Flight } from "./flight.ts";
import type { ClientScope } from "./guarded-call.ts";

/** What a `fetch` below the tap tells the tap about its transport. */
export interface TapFacts {
  /** A guardFetch was called for this transport: header keys can be placed, and each POST is seen. */
  fetchSeen: boolean;
  /** The connection ended: nothing can be sent. */
  closed: boolean;
  /** The client has heard of that: nothing can be handed over. */
  gone: boolean;
}

/** Around each original `send`, and around each reply. */
export interface WireScope {
  readonly tap: TapFacts;
  /** The message that is being sent, where it is no attempt: what else is fetched inside is not this transport's. */
  readonly sending?: unknown;
  /** The attempt whose frame is being sent: everything that is fetched inside belongs to it. */
  readonly flight?: Flight;
}

export const wireScope = new AsyncLocalStorage<WireScope>();
export const clientScope = new AsyncLocalStorage<ClientScope>();
