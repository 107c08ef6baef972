import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type RedisOptions, type RedisServer, startRedis } from "./redis.ts";

async function start(options?: RedisOptions): Promise<RedisServer> {
  const server = await startRedis(options);
  onTestFinished(() => server.stop());
  return server;
}

function connect(address: string): Redis {
  const client = new Redis(address);
  client.on("error", () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("startRedis", () => {
  it("starts a server that evicts nothing and appends every second", async () => {
    const server = await start();
    const client = connect(server.url);
    expect(await client.config("GET", "maxmemory-policy", "appendonly", "appendfsync", "save")).toEqual(
      expect.arrayContaining(["noeviction", "yes", "everysec", ""]),
    );
    expect(await connect(server.socket).ping()).toBe("PONG");
  });

  it("lets the caller's arguments win", async () => {
    const server = await start({ appendfsync: "always", args: ["--maxmemory-policy", "allkeys-lru"] });
    const client = connect(server.url);
    expect(await client.config("GET", "maxmemory-policy")).toEqual(["maxmemory-policy", "allkeys-lru"]);
    expect(await client.config("GET", "appendfsync")).toEqual(["appendfsync", "always"]);
  });

  it("keeps its data and its address over kill -9 and restart", async () => {
    const server = await start({ appendfsync: "always" });
    const { url, pid } = server;
    await connect(url).set("invoice", "1");
    await server.kill9();
    expect(isAlive(pid)).toBe(false);
    await server.restart();
    expect(server.url).toBe(url);
    expect(server.pid).not.toBe(pid);
    expect(await connect(url).get("invoice")).toBe("1");
  });

  it("gives servers that start at once different ports", async () => {
    const servers = await Promise.all(Array.from({ length: 5 }, () => start()));
    expect(new Set(servers.map(({ port }) => port)).size).toBe(5);
  });

  it("tries another port when one is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const random = vi.spyOn(Math, "random").mockReturnValueOnce((port - 20_000) / 12_000);
    const server = await start();
    expect(random).toHaveBeenCalledTimes(2);
    expect(server.port).not.toBe(port);
  });

  it("says why a server does not start", async () => {
    await expect(start({ args: ["--no-such-option", "1"] })).rejects.toThrow(/no-such-option/);
  });

  it("leaves no server and no folder behind when its process is killed", async () => {
    const script = `
      import { startRedis } from ${JSON.stringify(new URL("./redis.ts", import.meta.url).href)};
      const { pid, dir } = await startRedis();
      console.log(JSON.stringify({ pid, dir }));
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { pid, dir } = JSON.parse(line.toString()) as { pid: number; dir: string };
    expect(isAlive(pid)).toBe(true);
    child.kill("SIGKILL");
    await vi.waitFor(() => {
      expect(isAlive(pid)).toBe(false);
      expect(existsSync(dir)).toBe(false);
    }, 5_000);
  });
});
