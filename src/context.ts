/** The caller's identity, carried from the framework down to the wire without touching any signature. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Outcome } from "./core/outcome.ts";

export interface CallContext {
  /** The host's own name for the one effect it wants; the strongest identity. A UUIDv7 also tells when it was issued. */
  readonly operationId?: string;
  /**
   * When the effect was wanted, in ms since 1970, where `operationId` does not tell it or tells something else (a UUIDv7
   * that is the key of an older order). Old intents are not carried out late.
   * @default the time inside a UUIDv7, else unknown
   */
  readonly issuedAt?: number;
  /** The host says: yes, repeat the operation of this id on purpose. Needs a new `operationId`. */
  readonly confirmRepeatOf?: string;
  /** Refuse any other arguments than those shown by `guard.describeCall`, named by its digest. */
  readonly expect?: string;
  readonly runId?: string;
  readonly threadId?: string;
  readonly turnId?: string;
  /** The framework's id of the tool call. */
  readonly toolCallId?: string;
  /** On whose behalf; equal arguments of other principals are other writes. */
  readonly principal?: string;
  readonly tenant?: string;
  /** Time for the whole call, in ms, retries and reconcile included. */
  readonly deadline?: number;
  /** The caller's own abort: lets a wire tell it from a time-out below us. */
  readonly signal?: AbortSignal;
  /** Hears the whole outcome of each guarded call made inside. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

const storage = new AsyncLocalStorage<CallContext>();

/**
 * Runs `run` with identity for every guarded call made inside; nested contexts add to the outer one.
 * @example
 * await withCallContext({ runId, toolCallId: call.id }, () => client.callTool({ name: "refund", arguments: call.args }));
 */
export function withCallContext<R>(context: CallContext, run: () => R): R {
  return storage.run({ ...storage.getStore(), ...context }, run);
}

export const currentCallContext = (): CallContext => storage.getStore() ?? {};
