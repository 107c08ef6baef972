/**
 * What is out of force, as this process knows it: the list that all processes share, with what this one has just found
 * out itself. A contract's resend reads the list anew; a read declaration lives on a copy that is at most a round old.
 */
import type { Clock, Suspension } from "./ports.ts";
import type { Runtime } from "./runtime.ts";

export interface Standing {
  /** As far as this process knows. */
  isSuspended(server: string, tool: string): boolean;
  /** What is known of it. */
  find(server: string, tool: string): Omit<Suspension, "at"> | undefined;
  /** Reads the list if the last look is older than this (ms). @returns false: it could not be read */
  look(maxAge: number): Promise<boolean>;
  /** The list as the store has it now, with what it has not taken yet. Rejects when the store cannot be read. */
  current(): Promise<readonly Omit<Suspension, "at">[]>;
  /**
   * Takes effect here at once, everywhere when the store has it. Tried again until it has. What only a person lifts takes
   * the place of what lifts itself.
   * @returns false: out of force already, for a reason that is at least as hard to lift
   */
  withdraw(entry: Omit<Suspension, "at">): boolean;
  /**
   * Puts one back in force, everywhere: the one that was looked at, or with a person's word whichever stands.
   * @returns false: another one has taken its place
   */
  lift(server: string, tool: string, only?: Omit<Suspension, "at">): Promise<boolean>;
  /** The same for a call that is about to start: the first one waits a moment for the shared list. */
  isInForce(server: string, tool: string): Promise<boolean>;
  /** Everything that the store has not taken yet. */
  flush(): Promise<void>;
}

/** Which definition was seen, and by whose sign-in. Of a reproduction that was cut short nothing can be told. */
export function sightIn(detail: string | undefined): { readonly seen?: string; readonly principal?: string } {
  try {
    return JSON.parse(detail ?? "{}") as { seen?: string; principal?: string };
  } catch {
    return {};
  }
}

const keyOf = (server: string, tool: string): string => JSON.stringify([server, tool]);

/** What this package withdraws and puts back by itself once the cause is gone. Anything else waits for a person's word. */
const BY_CARD = ["card_failed", "card_stale"];
const BY_REVIEW = ["drift", "other_server", "release_changed"];
type Entry = Omit<Suspension, "at">;
const isOurs = ({ actor, reason }: Entry, reasons: readonly string[]): boolean =>
  actor === "indoubt" && reasons.includes(reason);
/** A card that passed puts it back. */
export const liftedByCard = (entry: Entry): boolean => isOurs(entry, BY_CARD);
/** A review of the definition puts it back. */
export const liftedByReview = (entry: Entry): boolean => isOurs(entry, BY_REVIEW);
/** One suspension is kept for a tool: the one that is hardest to lift. */
const weight = (entry: Entry): number => (liftedByCard(entry) ? 0 : liftedByReview(entry) ? 1 : 2);
/** A store that does not answer must not keep reads from their server. In ms. */
const FIRST_LOOK = 1_000;
/** What is kept of a reproduction. */
const LONGEST_DETAIL = 4_000;

export function standing(runtime: Runtime): Standing {
  const { clock, store, events, settings } = runtime;
  let shared = new Map<string, Omit<Suspension, "at">>();
  const unwritten = new Map<string, Omit<Suspension, "at">>();
  let lookedAt: number | undefined;
  let looking: Promise<boolean> | undefined;
  let waited = false;

  async function refresh(): Promise<boolean> {
    const began = clock.monotonic();
    try {
      await runtime.ready();
      await flush();
      await current();
      lookedAt = began;
      return true;
    } catch {
      return false;
    }
  }

  async function current(): Promise<readonly Omit<Suspension, "at">[]> {
    const list = await store.suspensions();
    shared = new Map(list.map((entry) => [keyOf(entry.server, entry.tool), entry]));
    return [...new Map([...shared, ...unwritten]).values()];
  }

  function look(maxAge: number): Promise<boolean> {
    if (lookedAt !== undefined && clock.monotonic() - lookedAt <= maxAge) return Promise.resolve(true);
    looking ??= refresh().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function flush(): Promise<void> {
    if (unwritten.size === 0) return;
    for (const [key, entry] of unwritten) {
      shared.set(key, await suspend(entry));
      if (unwritten.get(key) === entry) unwritten.delete(key);
    }
  }

  /** The store keeps the first one; what is harder to lift takes its place, and never leaves it empty. */
  async function suspend(entry: Entry): Promise<Entry> {
    let stands = await store.suspend(entry);
    while (weight(stands) < weight(entry)) stands = await store.suspend(entry, stands);
    return stands;
  }

  const find = (server: string, tool: string) => {
    const key = keyOf(server, tool);
    return unwritten.get(key) ?? shared.get(key);
  };

  return {
    isSuspended: (server, tool) => find(server, tool) !== undefined,
    find,
    look,
    current,
    withdraw(entry) {
      const { server, tool, reason, detail } = entry;
      const known = find(server, tool);
      if (known && weight(known) >= weight(entry)) return false;
      const kept = detail === undefined ? entry : { ...entry, detail: detail.slice(0, LONGEST_DETAIL) };
      unwritten.set(keyOf(server, tool), kept);
      events.emit("suspended", { server, tool, reason });
      void runtime
        .ready()
        .then(flush)
        .catch((error: unknown) =>
          events.emit("warning", {
            message: `The suspension of ${server}/${tool} holds in this process only until the store takes it: ${String(error)}`,
          }),
        );
      return true;
    },
    async lift(server, tool, only) {
      const key = keyOf(server, tool);
      const before = unwritten.get(key);
      if (!(await store.lift(server, tool, only))) return false;
      shared.delete(key);
      // What was found meanwhile was not looked at.
      if (unwritten.get(key) === (only ?? before)) unwritten.delete(key);
      return true;
    },
    async isInForce(server, tool) {
      const looked = look(settings.sweepEvery);
      if (!waited) {
        waited = true;
        await shortly(clock, looked);
      }
      return find(server, tool) === undefined;
    },
    flush,
  };
}

async function shortly(clock: Clock, work: Promise<unknown>): Promise<void> {
  let cancel = () => {};
  const enough = new Promise<void>((resolve) => {
    cancel = clock.after(FIRST_LOOK, resolve);
  });
  await Promise.race([work, enough]);
  cancel();
}
