/** What a host feels: `callTool` bare and guarded, over stdio and HTTP, with the clients of both generations. */

import { fileURLToPath } from "node:url";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { Redis } from "ioredis";
import type { Guard } from "../../src/index.ts";
import { type Child, startChild } from "../../test/faults/kills/support.ts";
import { startRedis } from "../../test/support/redis.ts";
import { guardClient, redisStore } from "../lib/built.ts";
import { type Case, interleave, type Row } from "../lib/measure.ts";
import { guardOn } from "../lib/stage.ts";
import type { Work } from "../run.ts";

const SERVER = new URL("../mcp-server.ts", import.meta.url);
const SELF = { name: "bench", version: "1.0.0" };
const MODERN = { versionNegotiation: { mode: { pin: "2026-07-28" } } };

interface Target {
  readonly name: string;
  readonly generation: "v1" | "v2";
  /** Absent: stdio. */
  readonly url?: URL;
}

type Call = (text: string) => Promise<unknown>;

/** A client of its own for each case, so that the bare one has no tap on its transport. */
async function connect(target: Target, guard?: Guard): Promise<{ call: Call; close(): Promise<void> }> {
  const { generation, url } = target;
  const command = { command: process.execPath, args: ["--import", "tsx", fileURLToPath(SERVER), generation, "stdio"] };
  if (generation === "v1") {
    const client = new ClientV1(SELF);
    await client.connect((url ? new HttpV1(url) : new StdioV1(command)) as TransportV1);
    const subject = guard ? guardClient(guard, "bench", client) : client;
    return { call: (text) => subject.callTool({ name: "echo", arguments: { text } }), close: () => client.close() };
  }
  const client = new ClientV2(SELF, MODERN);
  await client.connect(url ? new HttpV2(url) : new StdioV2(command));
  const subject = guard ? guardClient(guard, "bench", client) : client;
  return { call: (text) => subject.callTool({ name: "echo", arguments: { text } }), close: () => client.close() };
}

async function measureTarget(target: Target, port: number, scale: (n: number) => number): Promise<Row[]> {
  const url = `redis://127.0.0.1:${port}`;
  const guard = guardOn(redisStore({ url, namespace: "bench", commandTimeout: 20_000 }));
  const redis = new Redis(url);
  redis.defineCommand("benchNothing", { lua: "return 1", numberOfKeys: 1 });
  const { benchNothing } = redis as unknown as { benchNothing: (key: string) => Promise<unknown> };
  const [bare, floor, guarded] = [await connect(target), await connect(target), await connect(target, guard)];
  const cases: Case[] = [
    { name: "bare", run: (n) => bare.call(`${n}`), close: bare.close },
    { name: "indoubt, Redis everysec", run: (n) => guarded.call(`${n}`), close: guarded.close },
    {
      name: "bare + two EVALSHA",
      async run(n) {
        await benchNothing.call(redis, "floor");
        await floor.call(`${n}`);
        await benchNothing.call(redis, "floor");
      },
      close: floor.close,
    },
  ];
  const n = scale(target.url ? 150 : 400);
  const work = `tools/call, ${target.name}`;
  const rows = [
    ...(await interleave({ work, n }, cases)),
    ...(await interleave({ work, n: 3 * n, concurrency: 64, rounds: 5 }, cases)),
  ];
  for (const each of cases) await each.close?.();
  redis.disconnect();
  await guard.close();
  return rows;
}

async function startServer(generation: "v1" | "v2"): Promise<{ child: Child; url: URL }> {
  const child = startChild(SERVER, generation, "http");
  const port = await child.said((line) => /^\d+$/.test(line));
  return { child, url: new URL(`http://127.0.0.1:${port}/mcp`) };
}

export const mcpCalls: Work = async ({ scale }) => {
  const store = await startRedis({ appendfsync: "everysec" });
  const [v1, v2] = [await startServer("v1"), await startServer("v2")];
  const targets: Target[] = [
    { name: "v1 stdio", generation: "v1" },
    { name: "v2 stdio 2026-07-28", generation: "v2" },
    { name: "v1 HTTP", generation: "v1", url: v1.url },
    { name: "v2 HTTP 2026-07-28", generation: "v2", url: v2.url },
  ];
  const rows: Row[] = [];
  for (const target of targets) rows.push(...(await measureTarget(target, store.port, scale)));
  await v1.child.end();
  await v2.child.end();
  await store.stop();
  return rows;
};
