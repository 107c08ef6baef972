/**
 * A store as one process sees it: slow, sometimes out of reach, and gone for ever once the process is dead. What really
 * reaches the shared data is written down, version by version, for the invariants.
 */

import { AsyncResource } from "node:async_hooks";
import type { OperationRecord } from "../../src/core/record.ts";
import { decodeRecord } from "../../src/core/record-text.ts";
import { isSettled } from "../../src/core/terms.ts";
import type { BeginReply, BeginRequest, Change, Store } from "../../src/entries/store.ts";
import { IndoubtError } from "../../src/index.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** One version of one record, as it was written. */
export interface Write {
  readonly by: string;
  readonly id: string;
  readonly version: number;
  readonly at: number;
  readonly before: OperationRecord | undefined;
  readonly after: OperationRecord;
  readonly change: Pick<Change, "token" | "due" | "attention" | "expireIn" | "history">;
  readonly digest: string;
  /** The same token wrote another version before. */
  readonly tokenSeen: boolean;
}

/** Everything that the shared data took, in order. */
export interface Log {
  readonly writes: readonly Write[];
  current(id: string): Write | undefined;
  ids(): readonly string[];
  /** Its first version was settled already. */
  bornSettled(id: string): boolean;
  begun(by: string, request: BeginRequest, reply: BeginReply): void;
  swapped(by: string, change: Change, at: number): void;
  /** Takes back what the store lost. @returns operations whose record is gone or older than it was */
  lost(isLost: (write: Write) => boolean): readonly string[];
}

/** @param heard called for every write, before anybody else learns of it */
export function writeLog(heard: (write: Write) => void): Log {
  const writes: Write[] = [];
  const current = new Map<string, Write>();
  const tokens = new Map<string, string>();
  const used = new Map<string, string>();
  const born = new Set<string>();

  const add = (written: Omit<Write, "tokenSeen">) => {
    const { token } = written.change;
    const write = { ...written, tokenSeen: used.has(token) };
    used.set(token, write.id);
    if (!write.before && isSettled(write.after.state)) born.add(write.id);
    writes.push(write);
    current.set(write.id, write);
    heard(write);
  };
  const isNew = (id: string, version: number, token: string): boolean => {
    const name = `${id} ${version}`;
    if (tokens.get(name) === token) return false;
    tokens.set(name, token);
    return true;
  };

  const swapped: Log["swapped"] = (by, change, at) => {
    const before = current.get(change.id);
    if (!before || !isNew(change.id, change.expect + 1, change.token)) return;
    add({
      by,
      id: change.id,
      version: change.expect + 1,
      at,
      before: before.after,
      after: decodeRecord(change.body, at),
      change,
      digest: before.digest,
    });
  };

  return {
    writes,
    current: (id) => current.get(id),
    ids: () => [...current.keys()],
    bornSettled: (id) => born.has(id),
    swapped,
    begun(by, request, reply) {
      const reached = reply.kind === "created" || reply.kind === "held" || reply.kind === "suspect";
      const repeat = reply.kind === "created" && !isNew(request.id, 1, request.token);
      if (!reached || repeat) return;
      for (const ack of request.acks) {
        if (current.get(ack.id)?.version === ack.expect) swapped(by, ack, reply.now);
      }
      if (reply.kind !== "created" || request.body === "claim") return;
      const { id, digest, body, token, due, attention = false, history = [] } = request;
      const change = { token, due, attention, history };
      add({
        by,
        id,
        version: 1,
        at: reply.now,
        before: undefined,
        after: decodeRecord(body, reply.now),
        change,
        digest,
      });
    },
    lost(isLost) {
      const versions = new Map([...current].map(([id, write]) => [id, write.version]));
      const kept = writes.filter((write) => !isLost(write));
      writes.length = 0;
      writes.push(...kept);
      current.clear();
      tokens.clear();
      used.clear();
      for (const write of kept) {
        used.set(write.change.token, write.id);
        current.set(write.id, write);
        tokens.set(`${write.id} ${write.version}`, write.change.token);
      }
      return [...versions].flatMap(([id, version]) => (current.get(id)?.version === version ? [] : [id]));
    },
  };
}

/** How the way to the store is, for all processes. */
export interface StoreWeather {
  /** ms that a request and a reply take; drawn anew for every call. */
  latency(): number;
  /** Whether a call fails now: before it reaches the data, or its reply is lost. */
  fault(): "none" | "before" | "after";
  /** Every call is announced here. @throws when there is no end to them */
  called(): void;
}

export interface Mortal {
  readonly name: string;
  /** Called before and after every port call: the process may die there. @returns whether it lives */
  survives(point: "before" | "after", port: string): boolean;
  alive(): boolean;
}

const never = <T>(): Promise<T> => new Promise(() => {});

export interface WatchedStore extends Store {
  /** Sends the last write of this process once more, as a store client may do after a reconnect. */
  ghost(): Promise<void>;
}

export function watchedStore(
  inner: Store,
  log: Log,
  time: VirtualTime,
  weather: StoreWeather,
  mortal: Mortal,
  spool: NonNullable<Store["spool"]>,
): WatchedStore {
  let last: (() => Promise<unknown>) | undefined;

  async function call<T>(port: string, run: () => Promise<T>): Promise<T> {
    if (!mortal.survives("before", port)) return never();
    weather.called();
    const way = weather.latency();
    if (way > 0) await time.sleep(way);
    const fault = weather.fault();
    if (fault === "before") return unavailable("none");
    const reply = await run();
    const back = weather.latency();
    if (back > 0) await time.sleep(back);
    if (!mortal.survives("after", port)) return never();
    return fault === "after" ? unavailable("possible") : reply;
  }

  const arrives = (sentAt: number, within: number): number => within - (time.now() - sentAt);

  const begin = (request: BeginRequest, sentAt: number) => async () => {
    const reply = await inner.begin({ ...request, within: arrives(sentAt, request.within) });
    log.begun(mortal.name, request, reply);
    return reply;
  };
  const swap = (request: Parameters<Store["swap"]>[0], sentAt: number) => async () => {
    const reply = await inner.swap({ ...request, within: arrives(sentAt, request.within) });
    if (reply.kind === "swapped") log.swapped(mortal.name, request, reply.now);
    return reply;
  };

  return {
    kind: inner.kind,
    spool,
    open: () => inner.open(),
    begin(request) {
      const run = begin(request, time.now());
      last = AsyncResource.bind(run);
      return call("store.begin", run);
    },
    swap(request) {
      const run = swap(request, time.now());
      last = run;
      return call("store.swap", run);
    },
    async ghost() {
      await last?.();
    },
    read: (id) => call("store.read", () => inner.read(id)),
    due: (limit) => call("store.due", () => inner.due(limit)),
    list: (request) => call("store.list", () => inner.list(request)),
    history: (id) => call("store.history", () => inner.history(id)),
    journal: (request) => call("store.journal", () => inner.journal(request)),
    suspend: (suspension, instead) => call("store.suspend", () => inner.suspend(suspension, instead)),
    lift: (server, tool, only) => call("store.lift", () => inner.lift(server, tool, only)),
    suspensions: () => call("store.suspensions", () => inner.suspensions()),
    health: () => inner.health(),
    close: () => inner.close(),
  };
}

async function unavailable(effect: "none" | "possible"): Promise<never> {
  throw new IndoubtError("STORE_UNAVAILABLE", "The store is out of reach.", { effect });
}
