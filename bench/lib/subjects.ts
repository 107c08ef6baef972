/** Clients with one face: what they tell their caller, and what they know afterwards. */

import { Redis } from "ioredis";
import type { Wire } from "../../src/entries/wire.ts";
import type { Guard, Outcome } from "../../src/index.ts";
import { absent, applied, redisStore } from "./built.ts";
import type { Destination } from "./lossy-destination.ts";
import { argumentsOf, guardOn, type Peer } from "./stage.ts";

/** What a caller knows after a call. */
export type Told = "done" | "not_done" | "unknown";

export interface Subject {
  readonly name: string;
  readonly guarded: boolean;
  call(key: string, service: Destination): Promise<Told>;
  /** What happens by itself while the caller is away. */
  recover?(): Promise<void>;
  /** Whether some record shows that the operation may have happened. */
  isOnRecord(key: string): Promise<boolean>;
  /** Whether a person finds it in a list of what is open. */
  isInQueue(key: string): Promise<boolean>;
  close?(): Promise<unknown> | unknown;
}

const done = (): Told => "done";
const unknown = (): Told => "unknown";

export const plainSubject = (): Subject => ({
  name: "plain client",
  guarded: false,
  call: (_key, service) => service.send().then(done, unknown),
  isOnRecord: async () => false,
  isInQueue: async () => false,
});

export async function peerSubject(name: string, make: (url: string) => Promise<Peer>, url: string): Promise<Subject> {
  const peer = await make(url);
  const redis = new Redis(url);
  return {
    name,
    guarded: true,
    call: (key, service) => peer.call(key, argumentsOf(key), () => service.send()).then(done, unknown),
    isOnRecord: async (key) => (await redis.keys(peer.keyPattern(key))).length > 0,
    isInQueue: async () => false,
    close: () => {
      redis.disconnect();
      return peer.close();
    },
  };
}

const told = (outcome: Outcome): Told => {
  if (outcome.kind === "succeeded" || outcome.kind === "applied") return "done";
  return outcome.kind === "not_applied" || outcome.kind === "rejected" ? "not_done" : "unknown";
};

function subject(name: string, guard: Guard, services: Map<string, Destination>): Subject {
  const operations = new Map<string, string>();
  return {
    name,
    guarded: true,
    async call(key, service) {
      services.set(key, service);
      const call = { server: "bench", tool: "pay", arguments: argumentsOf(key), operationId: key };
      const outcome = await guard.perform(call, wireTo(service));
      guard.delivered(outcome);
      if (outcome.operation !== "") operations.set(key, outcome.operation);
      return told(outcome);
    },
    async recover() {
      for (let round = 0; round < 20; round += 1) {
        await guard.sweep();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    isOnRecord: async (key) => {
      const { state } = await guard.queue.show(operations.get(key) ?? "");
      return state !== "not_applied" && state !== "rejected";
    },
    isInQueue: async (key) => {
      const { items } = await guard.queue.list({ index: "open", limit: 1_000 });
      return items.some(
        ({ id, state }) => id === operations.get(key) && (state === "uncertain" || state === "unresolved"),
      );
    },
    close: () => guard.close(),
  };
}

const wireTo = (service: Destination): Wire => ({
  headers: false,
  async send(attempt) {
    if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
    return service.send().then(
      (answer) => ({ kind: "result", result: { content: [], structuredContent: answer } }) as const,
      () => ({ kind: "silence", cause: "connection_reset" }) as const,
    );
  },
});

/** Nothing can find out: doubt waits for a person. */
export const guardedSubject = (url: string): Subject =>
  subject("indoubt", guardOn(redisStore({ url, namespace: "plain" })), new Map());

/** A hook looks at the destination. */
export function hookedSubject(url: string): Subject {
  const services = new Map<string, Destination>();
  const look = (order: unknown) => {
    const count = services.get(String(order))?.effects() ?? 0;
    return count > 0 ? applied({ ref: `ref-${String(order)}`, count }) : absent();
  };
  const pay = {
    identityArgs: ["/id"],
    reconcile: {
      look: ({ arguments: { id } }: { readonly arguments: { readonly id?: unknown } }) => look(id),
      settle: 50,
      staleness: 20,
    },
  };
  const guard = guardOn(redisStore({ url, namespace: "hooked" }), { servers: { bench: { tools: { pay } } } });
  return subject("indoubt, with a hook", guard, services);
}
