/** A tool list that was asked for before the server announced a change, and comes after: over HTTP they go separate ways (S22, C2-01). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { guardClient, guardFetch } from "../../adapters/mcp/index.ts";
import { connectServer, openGuard } from "../../adapters/surfaces/setup/index.ts";
import type { Guard } from "../../src/index.ts";
import { newFolder } from "../cli/support/command.ts";
import {
  callOf,
  guardOf,
  invoice,
  LOST,
  lockOf,
  OK,
  pinned,
  SERVER,
  sends,
  settled,
  terms,
  wireOf,
} from "./support.ts";

const program = fileURLToPath(new URL("./children/changing-server.ts", import.meta.url));

async function serve(): Promise<URL> {
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [address] = await once(child.stdout.setEncoding("utf8"), "data");
  return new URL(String(address).trim());
}

const CLIENTS = {
  v1: (url: URL, more: object) => ({
    client: new ClientV1({ name: "t", version: "1" }),
    transport: new HttpV1(url, more),
  }),
  v2: (url: URL, more: object) => ({
    client: new ClientV2({ name: "t", version: "1" }),
    transport: new HttpV2(url, more),
  }),
} as const;

/** Where the guard sees what passes. */
const SEAMS = ["client", "client and fetch", "fetch alone"] as const;
const EACH = (["v1", "v2"] as const).flatMap((name) => SEAMS.map((seam) => [name, seam] as const));

async function connect(guard: Guard, url: URL, name: keyof typeof CLIENTS, seam: (typeof SEAMS)[number]) {
  const more = seam === "client" ? {} : { fetch: guardFetch(guard, { server: SERVER }) };
  const { client: plain, transport } = CLIENTS[name](url, more);
  const client = seam === "fetch alone" ? (plain as ClientV1) : guardClient(guard, SERVER, plain as ClientV1);
  await client.connect(transport as never);
  onTestFinished(() => client.close());
  return client;
}

const live = { name: "create_invoice", inputSchema: { type: "object" as const, properties: { order: {} } } };

async function resends(guard: Guard, order: string): Promise<boolean> {
  const wire = wireOf(LOST, OK);
  await guard.perform({ ...callOf({ order }), deadline: 1_000 }, wire);
  return sends(wire) === 2;
}

describe("a list that was asked for before the change and came after it", () => {
  test.each(EACH)("C2-01 with a real server and client of %s, through the %s: not current", async (name, seam) => {
    const contract = terms({ key: { meta: "acme/key" } });
    const tools = { create_invoice: { identityArgs: ["/order"], contract } };
    const url = await serve();
    const { guard } = guardOf({ lock: lockOf([live], { identity: { url: url.href } }), tools });
    const client = await connect(guard, url, name, seam);
    const first = await client.listTools();
    expect(first.tools.map((tool) => tool.name)).toEqual(["create_invoice"]);
    await settled();
    expect(await resends(guard, "o-1")).toBe(false);

    const second = await client.listTools();
    expect(second.tools.map((tool) => tool.name)).toEqual(["create_invoice", "another"]);
    await settled();
    expect(await resends(guard, "o-2")).toBe(true);
  });

  it("neither puts back what drift suspended, nor suspends anything", async () => {
    const { guard } = guardOf({
      lock: lockOf([invoice]),
      tools: { create_invoice: { identityArgs: ["/order"], contract: pinned() } },
    });
    const changed = { ...invoice, outputSchema: { type: "object" } };
    const before = guard.toolsAsked(SERVER);
    guard.toolsChanged(SERVER);
    guard.toolsSeen(SERVER, [changed], { asked: before });
    await settled();
    expect(await guard.suspensions.list()).toEqual([]);

    guard.toolsSeen(SERVER, [changed], { asked: guard.toolsAsked(SERVER) });
    await settled();
    guard.toolsSeen(SERVER, [invoice], { asked: before });
    await settled();
    expect((await guard.suspensions.list()).map(({ reason }) => reason)).toEqual(["drift"]);
  });
});

it("a server that is not the reviewed one does not escape by announcing a change before each list", async () => {
  const url = "https://billing.example/mcp";
  const tools = { create_invoice: { effect: "read" as const } };
  const { guard } = guardOf({ lock: lockOf([invoice], { identity: { url } }), tools });
  const before = guard.toolsAsked(SERVER);
  guard.toolsChanged(SERVER);
  guard.toolsSeen(SERVER, [invoice], { asked: before, identity: { url } });
  await settled();
  expect(await guard.suspensions.list()).toEqual([]);

  guard.toolsSeen(SERVER, [invoice], { asked: before, identity: { url: "https://other.example/mcp" } });
  await settled();
  expect((await guard.suspensions.list()).map(({ reason }) => reason)).toEqual(["other_server"]);
});

describe("the connections of worker and commands", () => {
  const open = async (server: object) => {
    const cwd = newFolder();
    const config = join(cwd, "indoubt.config.json");
    writeFileSync(config, JSON.stringify({ store: "memory:", servers: { [SERVER]: server } }));
    const setup = await openGuard({ config });
    onTestFinished(() => setup.guard.close({ within: 0 }));
    const { client, close } = await connectServer(setup, SERVER);
    onTestFinished(close);
    const listed = async () => {
      const { whole, tools } = await setup.guard.catalogue.show(SERVER);
      return { whole, tools: tools.map(({ tool }) => tool) };
    };
    return { client, listed };
  };

  test("ask again at once for a list that changed while it was asked for", async () => {
    const { listed } = await open({ url: (await serve()).href });
    expect(await listed()).toEqual({ whole: true, tools: ["create_invoice", "another"] });
  });

  test("ask again whenever a change is announced later", async () => {
    const paged = fileURLToPath(new URL("./children/paged-server.ts", import.meta.url));
    const args = ["--import", import.meta.resolve("tsx"), paged];
    const { client, listed } = await open({ command: process.execPath, args });
    await client.callTool({ name: "grow", arguments: {} });
    const tools = ["grow", "shrink", "create_invoice", "another"];
    await vi.waitFor(async () => expect(await listed()).toEqual({ whole: true, tools }), 10_000);
  });
});
