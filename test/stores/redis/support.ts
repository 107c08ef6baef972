/** A TCP path to a redis-server that counts, cuts, freezes and leads elsewhere; and short ways to a store. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { type RedisStore, type RedisStoreOptions, redisStore } from "../../../adapters/stores/redis/index.ts";
import type { BeginRequest, Group } from "../../../src/entries/store.ts";
import { type RedisOptions, type RedisServer, startRedis } from "../../support/redis.ts";

export interface Path {
  readonly url: string;
  /** Turns of the conversation: a request, or several at once, after an answer. */
  roundTrips(): number;
  /** Ends all connections. */
  cut(): void;
  /** The next answer is thrown away, and its connection ends. */
  loseNextAnswer(): void;
  /** Requests stay on the way, also when their sender gives up, until `thaw` delivers them. */
  freeze(): void;
  thaw(): void;
  /** Where new connections lead. */
  lead(port: number): void;
}

interface Link {
  readonly near: Socket;
  readonly far: Socket;
}

export async function startPath(port: number): Promise<Path> {
  const links = new Set<Link>();
  let target = port;
  let turns = 0;
  let losing = false;
  let frozen: (() => void)[] | undefined;

  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: target, host: "127.0.0.1", noDelay: true });
    const link = { near, far };
    let isAnswering = true;
    links.add(link);
    const end = () => {
      near.destroy();
      if (!frozen) far.destroy();
      links.delete(link);
    };
    for (const socket of [near, far]) socket.on("close", end).on("error", () => {});
    near.on("data", (data) => {
      if (isAnswering) turns += 1;
      isAnswering = false;
      if (frozen) frozen.push(() => far.write(data));
      else far.write(data);
    });
    far.on("data", (data) => {
      isAnswering = true;
      if (losing) {
        losing = false;
        return end();
      }
      near.write(data);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const { near } of links) near.destroy();
  };
  onTestFinished(async () => {
    cut();
    server.close();
    await once(server, "close");
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    roundTrips: () => turns,
    cut,
    loseNextAnswer: () => {
      losing = true;
    },
    freeze: () => {
      frozen = [];
    },
    thaw: () => {
      const waiting = frozen ?? [];
      frozen = undefined;
      for (const deliver of waiting) deliver();
    },
    lead: (other) => {
      target = other;
    },
  };
}

/** A server that ends with the test. */
export async function server(options?: RedisOptions): Promise<RedisServer> {
  const started = await startRedis(options);
  onTestFinished(() => started.kill9()); // in order it would wait for replicas that lag behind
  return started;
}

/** An open store that is closed with the test. */
export async function open(url: string, options: Partial<RedisStoreOptions> = {}): Promise<RedisStore> {
  const store = redisStore({ namespace: "test", ...options, url } as RedisStoreOptions);
  onTestFinished(() => store.close());
  await store.open();
  return store;
}

export const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** While `work` runs the server has no room for anything new. */
export async function withoutRoom(admin: Redis, work: () => Promise<void>): Promise<void> {
  await admin.config("SET", "maxmemory", "1");
  try {
    await work();
  } finally {
    await admin.config("SET", "maxmemory", "0");
  }
}

/** The key of a record, or of its payload or history, before there is one. */
export async function keyOf(admin: Redis, kind: "r" | "p" | "h", { group, id }: BeginRequest): Promise<string> {
  const [marks = ""] = await admin.keys(`*${group.tag}}:m`);
  return marks.replace(/m$/, `${kind}:${id.slice(group.tag.length + 1)}`);
}

/** Writes of the group so far. */
export async function countOf(admin: Redis, { tag }: Group): Promise<number> {
  const [marks = ""] = await admin.keys(`*${tag}}:m`);
  return Number((await admin.get(marks))?.split("|").at(-2));
}
