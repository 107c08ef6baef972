/** What every work shares: the call that is made, its guard, its peers, and the count of its round trips. */

import type { Store } from "../../src/entries/store.ts";
import type { Wire } from "../../src/entries/wire.ts";
import type { Guard, GuardOptions } from "../../src/index.ts";
import { countingProxy } from "../../test/faults/concurrency/counting-proxy.ts";
import { createGuard } from "./built.ts";
import type { Case } from "./measure.ts";

/** Arguments like those of real tools: 130 bytes. */
export const argumentsOf = (n: number | string) => ({
  id: n,
  to: "ops@example.org",
  amount: 12.5,
  memo: `invoice 2026-11 for order ${n}`,
  tags: ["b", "a"],
});

export type Arguments = ReturnType<typeof argumentsOf>;

/** The tool takes no time: what is measured is the guard. */
export const tool = async ({ id }: Arguments): Promise<{ ok: boolean; id: number | string }> => ({ ok: true, id });

export const toolWire: Wire = {
  headers: false,
  async send(attempt) {
    if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
    const { id } = attempt.arguments as unknown as Arguments;
    return { kind: "result", result: { content: [], structuredContent: { ok: true, id } } };
  },
};

/** A wire that loses every answer: the call stays in doubt. */
export const silentWire: Wire = {
  headers: false,
  send: async (attempt) =>
    attempt.mayStart() ? { kind: "silence", cause: "connection_reset" } : { kind: "not_sent", cause: "permit_lost" },
};

const SECRET = "the benchmark has no secrets, but a guard wants one";

export const guardOn = (store: Store, options: Partial<GuardOptions> = {}): Guard =>
  createGuard({ store, secret: SECRET, ...options });

export async function guardedCall(guard: Guard, n: number | string, operationId?: string, wire = toolWire) {
  const named = operationId === undefined ? {} : { operationId };
  const outcome = await guard.perform({ server: "bench", tool: "pay", arguments: argumentsOf(n), ...named }, wire);
  guard.delivered(outcome);
  return outcome;
}

export interface Peer {
  call(key: string, args: Arguments, run: typeof tool): Promise<unknown>;
  /** Pattern of the Redis key under which it keeps what it knows of this call. */
  keyPattern(key: string): string;
  close(): Promise<unknown> | unknown;
}

/** Peers are installed apart (bench/package.json) and therefore loaded by name, out of sight of the compiler. */
export const loadPeers = async (): Promise<{
  powertools(url: string): Promise<Peer>;
  nodeIdempotency(url: string): Promise<Peer>;
}> => import(new URL("../peers/redis-peers.ts", import.meta.url).href);

const COUNTED = 20;

/** The case on this Redis, with the round trips of one operation as counted through a path to the same server. */
export async function counted(port: number, make: (url: string) => Promise<Case>): Promise<Case> {
  const path = await countingProxy(port);
  const watched = await make(`redis://127.0.0.1:${path.port}`);
  for (let n = 0; n < 3; n += 1) await watched.run(n);
  path.reset();
  for (let n = 3; n < 3 + COUNTED; n += 1) await watched.run(n);
  const roundTrips = path.trips() / COUNTED;
  await watched.close?.();
  await path.close();
  return { ...(await make(`redis://127.0.0.1:${port}`)), roundTrips };
}
