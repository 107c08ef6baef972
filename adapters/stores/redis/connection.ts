/**
 * The connection of a store: it comes back by itself, checks the server each time, and lets no call wait for ever.
 * A command is sent once; what happened to it is told as it is.
 */
import { Cluster, Redis } from "ioredis";
import type { Effect } from "../../../src/index.ts";
import { type Client, createClient } from "./client.ts";
import { closed, incompatible, isReadOnly, isUnsent, notConnected, unavailable } from "./failures.ts";
import { gate } from "./gate.ts";
import { type RedisStoreOptions, readOptions, type Settings } from "./options.ts";
import type { ScriptName } from "./scripts.gen.ts";
import { readInfo, refusalOf, type ServerFacts } from "./server-facts.ts";
import { type StoreClock, storeClock } from "./store-clock.ts";
import { type Watched, watchdog } from "./watchdog.ts";

/** One life of a connection to a server that was found good. */
export interface Session {
  /** First 16 characters; empty for a cluster: only a script can know which server answers. */
  readonly runId: string;
  /** In ms of the server's clock; 0 if it took over from another one. */
  readonly startedAt: number;
}

export type ScriptTexts = Readonly<Record<ScriptName, { readonly lua: string }>>;

/** Sends one command. */
export type Build<T> = (client: Client, session: Session) => Promise<T>;

export interface Connection {
  readonly settings: Settings;
  /** Clock of the one server behind it; `undefined` for a cluster, where each group has its own. */
  readonly clock: StoreClock | undefined;
  open(): Promise<void>;
  /** Runs when there is a session; `build` makes and sends its command in that moment. @param effect what a lost answer means */
  call<T>(effect: Effect, build: Build<T>): Promise<T>;
  /** Sends a script with the count of its keys, its keys and its arguments; only inside `call`. */
  script(client: Client, name: ScriptName, keysAndArgs: string[]): Promise<unknown>;
  /** What the servers say of themselves now. */
  inspect(): Promise<readonly ServerFacts[]>;
  /** From now on no call waits for a connection. */
  stopWaiting(): void;
  close(): void;
}

type Scripted = Record<string, (...args: string[]) => Promise<unknown>>;
const commandOf = (name: ScriptName): string => `indoubt_${name}`;

const uncork = (stream: NetStream): void => stream.uncork();

/** Commands of one turn of the event loop leave in one piece: a system call for each would cost more than its command. */
function gather(client: Client): void {
  if (client instanceof Cluster || client.stream.writableCorked > 0) return;
  client.stream.cork();
  process.nextTick(uncork, client.stream);
}

type NetStream = Redis["stream"];

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** One answer of all primaries to INFO. @param clock learns on the way */
async function inspect(client: Client, clock: StoreClock | undefined): Promise<readonly ServerFacts[]> {
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

/** @throws IndoubtError CONFIG_INVALID */
export function createConnection(options: RedisStoreOptions, scripts: ScriptTexts): Connection {
  const settings = readOptions(options);
  const client = createClient(options, settings);
  const clock = client instanceof Redis ? storeClock() : undefined;
  for (const [name, script] of Object.entries(scripts)) client.defineCommand(commandOf(name as ScriptName), script);
  const link = keepUp(client, clock);
  const call = caller(client, settings, link);
  return {
    settings,
    clock,
    call,
    inspect: () => call("none", () => inspect(client, clock)),
    open: () => link.start(settings.connectWithin),
    script: (target, name, keysAndArgs) =>
      (target as unknown as Scripted)[commandOf(name)]?.(...keysAndArgs) as Promise<unknown>,
    stopWaiting: link.stopWaiting,
    close: link.end,
  };
}

interface Link {
  session(): Session | undefined;
  enter(within: number): Promise<Session>;
  start(within: number): Promise<void>;
  stopWaiting(): void;
  end(): void;
}

/** Keeps the client connected and checks the server after each connection; ioredis itself comes back for ever. */
function keepUp(client: Client, clock: StoreClock | undefined): Link {
  const door = gate<Session>();
  let lastError: unknown;
  let isEnded = false;
  let wasGood = false;

  client.on("error", (error: unknown) => {
    lastError = error;
  });
  client.on("ready", () => void check());
  for (const event of ["close", "end", "reconnecting"]) client.on(event, door.shut);

  async function check(): Promise<void> {
    try {
      const facts = await inspect(client, clock);
      const bad = facts.map(refusalOf).find((text) => text !== undefined);
      if (bad !== undefined && wasGood) return connectAgain(incompatible(bad)); // a failover may be on its way
      if (bad !== undefined) return door.refuse(incompatible(bad));
      if (client.status !== "ready" || isEnded) return;
      const only = client instanceof Redis ? facts[0] : undefined;
      wasGood = true;
      door.open({ runId: only?.runId ?? "", startedAt: only?.startedAt ?? 0 });
    } catch (error) {
      connectAgain(error);
    }
  }

  function connectAgain(error: unknown): void {
    lastError = error;
    if (!isEnded) setTimeout(() => !isEnded && client.disconnect(true), 100).unref();
  }

  const enter = (within: number) => door.enter(within, () => notConnected(within, lastError));
  return {
    session: door.pass,
    enter,
    async start(within) {
      door.reconsider();
      if (client.status === "wait") {
        client.connect().catch((error: unknown) => {
          lastError ??= error;
        });
      } else if (client.status === "ready" && !door.pass()) void check();
      await enter(within);
    },
    stopWaiting: () => door.refuse(closed()),
    end() {
      isEnded = true;
      door.shut();
      client.disconnect();
    },
  };
}

/** Sends commands, each once, and says what became of them. */
function caller(client: Client, { commandTimeout, connectWithin }: Settings, link: Link): Connection["call"] {
  const dog = watchdog(commandTimeout);
  let heard = 0;

  /** Whether the connection is of no use: this server no longer writes, or nothing came since the command was sent. */
  const isSpent = (error: unknown, sent: number): boolean =>
    isReadOnly(error) || (performance.now() - sent >= commandTimeout && heard < sent);

  /** @param again for a command that was not sent */
  function once<T>(
    effect: Effect,
    build: Build<T>,
    session: Session,
    sent: number,
    again?: () => Promise<T>,
  ): Promise<T> {
    gather(client);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        dog.settled(call);
        if (isSpent(error, sent)) client.disconnect(true);
        if (!isUnsent(error)) reject(unavailable(error, effect));
        else if (again) resolve(again());
        else reject(error);
      };
      const call: Watched = { since: sent, giveUp: () => fail(new Error(`no answer within ${commandTimeout} ms`)) };
      dog.watch(call);
      build(client, session).then((value) => {
        dog.settled(call);
        heard = performance.now();
        resolve(value);
      }, fail);
    });
  }

  /** A command that found the connection gone at the last moment was not sent, and waits for the next one. */
  async function patiently<T>(effect: Effect, build: Build<T>, called: number): Promise<T> {
    for (;;) {
      const session = await link.enter(called + connectWithin - performance.now());
      try {
        return await once(effect, build, session, performance.now());
      } catch (error) {
        if (!isUnsent(error) || performance.now() > called + connectWithin) throw unavailable(error, effect);
        await pause(10);
      }
    }
  }

  return (effect, build) => {
    const called = performance.now();
    const session = link.session();
    if (!session) return patiently(effect, build, called);
    return once(effect, build, session, called, () => patiently(effect, build, called));
  };
}
