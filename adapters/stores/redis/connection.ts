/**
 * The connection of a store: it comes back by itself, checks the server each time, and lets no call wait for ever.
 * A command is sent once; what happened to it is told as it is.
 */
import { Cluster, Redis } from "ioredis";
import type { Effect } from "../../../src/index.ts";
import { type Client, createClient } from "./client.ts";
import { closed, incompatible, isReadOnly, isUnsent, notConnected, unavailable } from "./failures.ts";
import { type RedisStoreOptions, readOptions, type Settings } from "./options.ts";
import type { ScriptName } from "./scripts.gen.ts";
import { readInfo, refusalOf, type ServerFacts } from "./server-facts.ts";
import { type StoreClock, storeClock } from "./store-clock.ts";
import { watchdog } from "./watchdog.ts";

/** One life of a connection to a server that was found good. */
export interface Session {
  /** First 16 characters; empty for a cluster: only a script can know which server answers. */
  readonly runId: string;
  /** In ms of the server's clock; 0 if it took over from another one. */
  readonly startedAt: number;
}

export type ScriptTexts = Readonly<Record<ScriptName, { readonly lua: string; readonly numberOfKeys: number }>>;

export interface Connection {
  readonly settings: Settings;
  /** Clock of the one server behind it; `undefined` for a cluster, where each group has its own. */
  readonly clock: StoreClock | undefined;
  open(): Promise<void>;
  /** Runs when there is a session; `send` builds its command in that moment. @param effect what a lost answer means */
  call<T>(effect: Effect, send: (client: Client, session: Session) => Promise<T>): Promise<T>;
  /** Sends a script; only inside `call`. */
  script(client: Client, name: ScriptName, keysAndArgs: string[]): Promise<unknown>;
  /** What the servers say of themselves now. */
  inspect(): Promise<readonly ServerFacts[]>;
  /** From now on no call waits for a connection. */
  stopWaiting(): void;
  close(): void;
}

interface Waiter {
  resolve(session: Session): void;
  reject(error: unknown): void;
}

type Scripted = Record<string, (...args: string[]) => Promise<unknown>>;
const commandOf = (name: ScriptName): string => `indoubt_${name}`;

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** @throws IndoubtError CONFIG_INVALID */
export function createConnection(options: RedisStoreOptions, scripts: ScriptTexts): Connection {
  const settings = readOptions(options);
  const client = createClient(options, settings);
  const clock = client instanceof Redis ? storeClock() : undefined;
  const watch = watchdog(settings.commandTimeout);
  const waiters = new Set<Waiter>();
  let session: Session | undefined;
  let refusal: unknown;
  let lastError: unknown;
  let ended = false;
  let connecting = false;
  let wasGood = false;
  let heard = 0;

  for (const [name, script] of Object.entries(scripts)) client.defineCommand(commandOf(name as ScriptName), script);
  client.on("error", (error: unknown) => {
    lastError = error;
  });
  client.on("ready", () => void begin());
  for (const event of ["close", "end", "reconnecting"]) client.on(event, () => (session = undefined));

  async function inspect(): Promise<readonly ServerFacts[]> {
    const nodes = client instanceof Cluster ? client.nodes("master") : [client];
    return Promise.all(
      nodes.map(async (node) => {
        const sent = performance.now();
        const [[seconds, micros], info] = await Promise.all([node.time(), node.info()]);
        const time = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
        clock?.forget();
        clock?.learn(time, sent, performance.now());
        return readInfo(info, time);
      }),
    );
  }

  async function begin(): Promise<void> {
    try {
      const facts = await inspect();
      const bad = facts.map(refusalOf).find((text) => text !== undefined);
      refusal = bad === undefined ? undefined : incompatible(bad);
      if (bad !== undefined && wasGood) return again(refusal); // a failover is on its way
      if (bad !== undefined) return settleWaiters((waiter) => waiter.reject(refusal));
      if (client.status !== "ready") return;
      const first = client instanceof Redis ? facts[0] : undefined;
      const next: Session = { runId: first?.runId ?? "", startedAt: first?.startedAt ?? 0 };
      session = next;
      wasGood = true;
      settleWaiters((waiter) => waiter.resolve(next));
    } catch (error) {
      again(error);
    }
  }

  function again(error: unknown): void {
    lastError = error;
    refusal = undefined;
    if (!ended) setTimeout(() => !ended && client.disconnect(true), 100).unref();
  }

  function settleWaiters(settle: (waiter: Waiter) => void): void {
    for (const waiter of waiters) settle(waiter);
    waiters.clear();
  }

  function whenGood(until: number): Promise<Session> {
    if (ended) return Promise.reject(closed());
    if (session) return Promise.resolve(session);
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        resolve: (good) => end(() => resolve(good)),
        reject: (error) => end(() => reject(error)),
      };
      const end = (settle: () => void) => {
        clearTimeout(timer);
        waiters.delete(waiter);
        settle();
      };
      const giveUp = () => waiter.reject(notConnected(settings.connectWithin, lastError));
      const timer = setTimeout(giveUp, Math.max(0, until - performance.now()));
      waiters.add(waiter);
    });
  }

  async function send<T>(effect: Effect, build: (client: Client, good: Session) => Promise<T>): Promise<T> {
    const until = performance.now() + settings.connectWithin;
    for (;;) {
      const good = session ?? (await whenGood(until));
      if (ended) throw closed();
      const sent = performance.now();
      try {
        const answer = await watch.over(build(client, good), sent);
        heard = performance.now();
        return answer;
      } catch (error) {
        const isDead = performance.now() - sent >= settings.commandTimeout && heard < sent;
        if (isReadOnly(error) || isDead) client.disconnect(true);
        if (!isUnsent(error) || performance.now() > until) throw unavailable(error, effect);
        await pause(10);
      }
    }
  }

  return {
    settings,
    clock,
    inspect: () => send("none", inspect),
    async open() {
      if (ended) throw closed();
      if (!connecting) {
        connecting = true;
        client.connect().catch((error: unknown) => {
          lastError ??= error;
        });
      }
      await whenGood(performance.now() + settings.connectWithin);
    },
    call: send,
    script: (target, name, keysAndArgs) =>
      (target as unknown as Scripted)[commandOf(name)]?.(...keysAndArgs) as Promise<unknown>,
    stopWaiting() {
      refusal = closed();
      settleWaiters((waiter) => waiter.reject(refusal));
    },
    close() {
      ended = true;
      client.disconnect();
    },
  };
}
