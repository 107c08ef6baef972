/** The side of the proxy that faces the server, as the side that faces the host sees it. */

import type { GuardedCalls } from "../../../src/entries/wire.ts";
import type { CallContext } from "../../../src/index.ts";
import type { Read } from "./messages.ts";

export interface Back {
  /**
   * Takes one message of the host; those that follow are taken when it resolves. Never rejects: the host hears of
   * failures by answers.
   */
  fromHost(message: Read, context: CallContext): Promise<void>;
  /** Guarded calls under way. */
  unanswered(): number;
  close(): Promise<void>;
}

export interface BackOptions {
  readonly guard: GuardedCalls;
  readonly server: string;
  /** ms */
  readonly deadline: number;
  /** Resolves to whether it was written to the host before that left or cancelled. */
  toHost(message: object): Promise<boolean>;
  /** What is no JSON-RPC message. */
  rawToHost(bytes: Uint8Array): Promise<boolean>;
  /** Resolves when a slow host has caught up. */
  drained(): Promise<void>;
  /** A line for the operator: what the server did. */
  say(what: string): void;
  inContext<R>(context: CallContext, run: () => R): R;
}

/** After the host has left, guarded calls have so long to be answered for the record, in ms. */
const LINGER = 10_000;

/** Late answers are evidence: a call under way is not cut off only because nobody listens any more. */
export async function settled(back: Back): Promise<void> {
  const end = Date.now() + LINGER;
  while (back.unanswered() > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
}
