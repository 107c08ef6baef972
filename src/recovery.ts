/** The sweeper and the reconcile loop: every open record has an exit, and this drives it. */

import { advance, type Beside, needsLook } from "./advance.ts";
import { agingWatch } from "./aging.ts";
import type { Instant } from "./core/terms.ts";
import { isStoreGone } from "./errors.ts";
import type { Parts } from "./guard-parts.ts";
import { idleWatch } from "./idle.ts";
import { inLanes, within } from "./lanes.ts";
import type { Operation } from "./operation.ts";

export interface Recovery {
  start(): void;
  /** Ends the loop; what still runs gets `within` ms (default 1 000), then its lease decides. */
  stop(within?: number): Promise<void>;
  /** One round, and a second for the answers to what it sent. @returns records looked at */
  sweep(): Promise<number>;
}

const BATCH = 500;
const MOVES_AT_ONCE = 32;
/** Looks share the connection with the calls of this process. */
const LOOKS_AT_ONCE = 8;
/** A record whose next step needs something that this process lacks is left alone here for this long. */
const NOT_HERE = 5_000;
/** Outcomes that a dead process left in a shared spool are brought home this often. */
const DRAIN_EVERY = 10_000;
/** Patience with what may never answer: a look or a send of recovery. */
const PATIENCE = 1_000;

export function recovery(parts: Parts): Recovery {
  const { runtime, ledger } = parts;
  const notHere = new Map<string, number>();
  let running: Promise<number> | undefined;
  let cancel: (() => void) | undefined;
  let started = false;
  const idle = idleWatch(parts);
  const aging = agingWatch(parts);
  const beside: Beside = new Set();
  let told = "";
  let walkedAt = runtime.clock.monotonic();
  let drainedAt = walkedAt;

  async function round(): Promise<number> {
    await runtime.ready();
    const { now, items } = await runtime.store.due(BATCH + notHere.size);
    runtime.heard(now);
    for (const [id, until] of notHere) if (until <= runtime.clock.monotonic()) notHere.delete(id);
    const asleep = (id: string) => parts.driven.has(id) || notHere.has(id);
    const mine = items.filter((item) => !asleep(item.id)).map(ledger.handle);
    const looks = mine.filter((operation) => needsLook(parts, operation));
    const moves = mine.filter((operation) => !needsLook(parts, operation));
    await Promise.all([
      inLanes(moves, MOVES_AT_ONCE, (operation) => step(operation, now)),
      inLanes(looks, LOOKS_AT_ONCE, (operation) => step(operation, now)),
    ]);
    return mine.length;
  }

  async function step(operation: Operation, now: Instant): Promise<void> {
    try {
      if (await advance(parts, operation, now, beside)) notHere.delete(operation.id);
      else notHere.set(operation.id, runtime.clock.monotonic() + NOT_HERE);
    } catch (error) {
      runtime.events.emit("warning", { message: `Recovery of ${operation.id} goes on later: ${String(error)}` });
      notHere.set(operation.id, runtime.clock.monotonic() + NOT_HERE);
    }
    if (notHere.size > 10_000) notHere.clear();
  }

  const oneRound = () => {
    running ??= round().finally(() => {
      running = undefined;
    });
    return running;
  };

  async function everyRound(): Promise<number> {
    const count = await oneRound();
    if (runtime.clock.monotonic() - drainedAt >= DRAIN_EVERY) {
      drainedAt = runtime.clock.monotonic();
      await parts.journal.drain();
    }
    if (runtime.clock.monotonic() - walkedAt >= runtime.settings.lease) {
      walkedAt = runtime.clock.monotonic();
      await idle.walk();
    }
    await aging.walk();
    return count;
  }

  /** The same failure is told once, until a round has gone well. */
  function tellOnce(error: unknown): void {
    const goesOn = isStoreGone(error) ? "goes on when the store is back" : "tries again";
    const message = `The sweeper ${goesOn}: ${String(error)}`;
    if (message !== told) runtime.events.emit("warning", { message });
    told = message;
  }

  function loop(): void {
    if (!started) return;
    everyRound()
      .then(
        (count) => {
          told = "";
          return count;
        },
        (error) => {
          tellOnce(error);
          return 0;
        },
      )
      .then((count) => {
        if (started) cancel = runtime.clock.later(count >= BATCH ? 0 : runtime.settings.sweepEvery, loop);
      });
  }

  return {
    async sweep() {
      const count = await oneRound();
      await within(runtime.clock, PATIENCE, [...beside]);
      return count;
    },
    start() {
      if (started) return;
      started = true;
      loop();
    },
    async stop(longest = PATIENCE) {
      started = false;
      cancel?.();
      await within(runtime.clock, longest, [running, ...beside]);
    },
  };
}
