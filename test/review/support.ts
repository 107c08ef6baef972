/** A hand-moved clock under guard and store, and a destination that counts its effects. */
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { type ContractInput, contract, createGuard, type GuardOptions, toolFingerprint } from "../../src/index.ts";
import { handClock } from "../core/support/hand-clock.ts";

export const SECRET = "a secret of at least sixteen bytes";

export function world(options: Omit<GuardOptions, "store" | "secret" | "clock"> = {}) {
  const hand = handClock();
  const store = memoryStore({ now: hand.now });
  const guard = createGuard({ store, secret: SECRET, clock: hand.clock, ...options });
  return { hand, store, guard };
}

export const never = (): Promise<never> => new Promise(() => {});

/** A UUIDv7 minted at `ms`. */
export function uuidv7(ms: number): string {
  const hex = Math.floor(ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-8abc-0123456789ab`;
}

export const PAY = { name: "pay", inputSchema: { type: "object" } };

/** A contract of the tool `pay`, pinned, with what the test changes about it. */
export const payContract = (changes: Partial<ContractInput> = {}) =>
  contract({
    dedupes: "key",
    key: { argument: "/key" },
    window: "24h",
    concurrent: "joined",
    mismatch: "rejected",
    replaysErrors: false,
    scope: { caller: "acme", downstream: "included" },
    review: { source: "docs", by: "ops", on: "2026-11-30" },
    pin: { tool: toolFingerprint(PAY) },
    ...changes,
  });
