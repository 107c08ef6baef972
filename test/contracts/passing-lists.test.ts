/** Real clients of both generations list a real server's tools: what passes is compared, and nothing is asked for it. */
import { fileURLToPath } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { guardClient } from "../../adapters/mcp/index.ts";
import { toolFingerprint } from "../../src/index.ts";
import { callOf, guardOf, LOST, lockOf, OK, SERVER, sends, settled, terms, wireOf } from "./support.ts";

const path = fileURLToPath(new URL("./children/paged-server.ts", import.meta.url));
const command = { command: process.execPath, args: ["--import", import.meta.resolve("tsx"), path] };
const tool = (name: string) => ({ name, inputSchema: { type: "object" as const, properties: { order: {} } } });
const reviewed = ["grow", "shrink", "create_invoice"].map(tool);
const tools = { create_invoice: { identityArgs: ["/order"], contract: terms({ key: { meta: "acme/key" } }) } };
const release = { name: "paged", version: "1.0.0" };

const clients = {
  v1: () => ({ client: new ClientV1({ name: "t", version: "1" }), transport: new StdioV1(command) }),
  v2: () => ({ client: new ClientV2({ name: "t", version: "1" }), transport: new StdioV2(command) }),
} as const;

async function connect(name: keyof typeof clients, more: Parameters<typeof lockOf>[1] = {}) {
  const heard = guardOf({ lock: lockOf(reviewed, { identity: command, release, ...more }), tools });
  const { client: plain, transport } = clients[name]();
  const client = guardClient(heard.guard, SERVER, plain as ClientV1);
  await client.connect(transport as never);
  onTestFinished(() => client.close());
  const listAll = async () => {
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  };
  return { ...heard, client, listAll };
}

/** Whether a lost reply is followed by a resend now. */
async function resends({ guard }: Awaited<ReturnType<typeof connect>>, order: string): Promise<boolean> {
  const wire = wireOf(LOST, OK);
  await guard.perform({ ...callOf({ order }), deadline: 1_000 }, wire);
  return sends(wire) === 2;
}
const suspended = async ({ guard }: Awaited<ReturnType<typeof connect>>): Promise<string[]> => {
  await settled();
  return (await guard.suspensions.list()).map(({ tool, reason }) => `${tool}: ${reason}`);
};

describe.each(["v1", "v2"] as const)("a client of %s", (name) => {
  test("C2-01 pages make a list; a change that the server announces stops resends until it is listed again", async () => {
    const given = await connect(name);
    await given.client.listTools();
    expect(await suspended(given)).toEqual([]);
    await given.listAll();
    expect(await resends(given, "o-1")).toBe(true);

    await given.client.callTool({ name: "grow", arguments: {} });
    expect(await resends(given, "o-2")).toBe(false);
    await given.listAll();
    expect(given.events.drift).toEqual([
      expect.objectContaining({ tool: "another", change: "added", suspends: false }),
    ]);
    expect(await resends(given, "o-3")).toBe(true);

    await given.client.callTool({ name: "shrink", arguments: {} });
    await given.listAll();
    expect(await suspended(given)).toEqual(["create_invoice: drift"]);
  });

  test("C2-03 the command that was really started, and the release that the server claims, are compared", async () => {
    const elsewhere = await connect(name, { identity: { command: "other", args: [] } });
    await elsewhere.listAll();
    expect(await suspended(elsewhere)).toEqual(["create_invoice: other_server"]);

    const older = await connect(name, { release: { name: "paged", version: "0.9.0" } });
    await older.listAll();
    expect(await suspended(older)).toEqual(["create_invoice: release_changed"]);
  });
});

test("the fingerprint of a reviewed tool is the same whatever client listed it", async () => {
  const seen = await Promise.all(
    (["v1", "v2"] as const).map(async (name) => {
      const { client } = await connect(name);
      const [first] = (await client.listTools()).tools;
      return first && toolFingerprint(first);
    }),
  );
  expect(seen).toEqual([toolFingerprint(tool("grow")), toolFingerprint(tool("grow"))]);
});
