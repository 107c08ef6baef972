/** What all parts of one guard share: settings, store, keys, clock, listeners. */
import { randomBytes } from "node:crypto";
import type { Settings } from "./config.ts";
import { type Keyring, keyring } from "./core/identity.ts";
import type { Instant } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { Emitter } from "./events.ts";
import type { Clock, Store } from "./ports.ts";

export interface Runtime {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Emitter;
  /** Opens the store and the keys once; rejects with the reason while that fails, and tries anew at the next call. */
  ready(): Promise<Keyring>;
  /** The keys, after `ready`. */
  keys(): Keyring;
  /** A reply told the store's time. */
  heard(now: Instant): void;
  /** The store's time now, at the latest what the last reply said plus what has passed here. */
  storeNow(): Instant;
}

const LONGEST_TIMER = 2_147_483_647;
const timer = (ms: number, run: () => void) => setTimeout(run, Math.min(Math.max(ms, 0), LONGEST_TIMER));

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const handle = timer(ms, run);
    return () => clearTimeout(handle);
  },
  later(ms, run) {
    const handle = timer(ms, run).unref();
    return () => clearTimeout(handle);
  },
};

const TOKEN_LENGTH = 11;
let tokens = "";
let used = 0;

/** A name for one write or one attempt: 66 random bits. They are drawn in blocks, like all random bytes. */
export function newToken(): string {
  if (used + TOKEN_LENGTH > tokens.length) {
    tokens = randomBytes(4_096).toString("base64url");
    used = 0;
  }
  used += TOKEN_LENGTH;
  return tokens.slice(used - TOKEN_LENGTH, used);
}

export function runtime(
  parts: Pick<Runtime, "settings" | "store" | "clock" | "events">,
  secret: Uint8Array | string | undefined,
): Runtime {
  const { store, clock } = parts;
  let opened: Keyring | undefined;
  let opening: Promise<Keyring> | undefined;
  let last = { now: 0, at: 0 };

  async function open(): Promise<Keyring> {
    await store.open();
    const keys = keyring(await secretOf(store, secret), store.namespace ?? "default");
    await store.bindKey?.(keys.id);
    opened = keys;
    return keys;
  }

  return {
    ...parts,
    async ready() {
      if (opened) return opened;
      opening ??= open().finally(() => {
        opening = undefined;
      });
      return opening;
    },
    keys() {
      if (!opened)
        throw new IndoubtError("STORE_UNAVAILABLE", "The guard's store is not open yet: await guard.start().");
      return opened;
    },
    heard(now) {
      last = { now, at: clock.monotonic() };
    },
    storeNow: () => (last.now === 0 ? clock.wall() : last.now + Math.floor(clock.monotonic() - last.at)),
  };
}

async function secretOf(store: Store, secret: Uint8Array | string | undefined): Promise<Uint8Array> {
  const given = typeof secret === "string" ? Buffer.from(secret) : (secret ?? (await store.secret?.()));
  if (!given) {
    throw new IndoubtError(
      "CONFIG_INVALID",
      `The ${store.kind} store needs a secret for its digests and keys: pass \`secret\` (32 random bytes, the same on every machine), e.g. secret: process.env.INDOUBT_SECRET.`,
    );
  }
  if (given.byteLength < 16) {
    throw new IndoubtError("CONFIG_INVALID", "`secret` is too short: use at least 16 bytes, better 32 random ones.");
  }
  return given;
}
