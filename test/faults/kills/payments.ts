/** The guarded tool of these tests, the same in the clients that die and in the one that survives. */
import { redisStore } from "../../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import type { Store } from "../../../src/entries/store.ts";
import type { Wire } from "../../../src/entries/wire.ts";
import { absent, applied, createGuard, type Guard } from "../../../src/index.ts";

export type StorePlace =
  | { readonly kind: "redis"; readonly url: string }
  | { readonly kind: "sqlite"; readonly file: string };

export interface World {
  readonly store: StorePlace;
  /** Address of the destination's process. */
  readonly destination: string;
}

export const LEASE = 3_000;
/** No payment lands later than this after its request. */
const SETTLE = 1_000;
const STALENESS = 50;

const openStore = (place: StorePlace): Store =>
  place.kind === "redis"
    ? redisStore({ url: place.url, namespace: "kills", commandTimeout: 10_000, connectWithin: 10_000 })
    : sqliteStore({ file: place.file, namespace: "kills" });

interface Found {
  readonly count: number;
  readonly ref: string;
}

async function look(destination: string, order: string): Promise<Found> {
  const response = await fetch(`${destination}/payments?order=${order}`);
  return (await response.json()) as Found;
}

interface PaymentOptions {
  /** @default 3_000 ms: a dead client's attempt is soon in doubt */
  readonly lease?: number;
  /** `recall`: equal calls within the hour are the same payment, also after the first was delivered. @default "new" */
  readonly repeat?: "new" | "recall";
}

export function paymentGuard({ store, destination }: World, options: PaymentOptions = {}): Guard {
  const { lease = LEASE, repeat = "new" } = options;
  return createGuard({
    store: openStore(store),
    secret: "a secret that only these tests share",
    lease,
    servers: {
      bank: {
        tools: {
          pay: {
            identityArgs: ["/order"],
            repeat,
            ...(repeat === "recall" && { repeatWindow: "1h" }),
            reconcile: {
              look: async (intent) => {
                const { count, ref } = await look(destination, String(intent.arguments.order));
                return count > 0 ? applied({ ref, count }) : absent();
              },
              settle: SETTLE,
              staleness: STALENESS,
              absentReads: 2,
            },
          },
        },
      },
    },
  });
}

/** @param handingOver hears the operation's id just before the request goes out */
export function paymentWire(destination: string, handingOver: (operation: string) => void = () => {}): Wire {
  return {
    headers: false,
    async send(attempt) {
      handingOver(attempt.operation);
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      try {
        const body = JSON.stringify(attempt.arguments);
        const response = await fetch(`${destination}/payments`, { method: "POST", body });
        const { ref } = (await response.json()) as Found;
        return { kind: "result", result: { content: [{ type: "text", text: ref }], structuredContent: { ref } } };
      } catch {
        return { kind: "silence", cause: "transport_error" };
      }
    },
  };
}

/** Every second order has an operation id of its own; the others are known by their arguments alone. */
export const paymentOf = (order: string) => ({
  server: "bank",
  tool: "pay",
  arguments: { order, amount: 12.5, memo: `payment for ${order}` },
  ...(hasOwnId(order) && { operationId: `id-of-${order}` }),
});

export const hasOwnId = (order: string): boolean => Number(order.split("-").at(-1)) % 2 === 0;
