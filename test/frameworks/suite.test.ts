/** The suite for hosts finds a host that does what they all do without the guard. */
import { expect, test } from "vitest";
import { runToolCalls } from "../../adapters/frameworks/loops/index.ts";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { type HostHarness, hostSuite } from "../../adapters/testing/index.ts";
import { plainClientV1, transportV1 } from "./support/clients.ts";

/** A loop with a retry around each call and no guard. */
const play: HostHarness["play"] = async ({ target, turns }) => {
  const client = plainClientV1();
  await client.connect(transportV1(target) as never);
  const once = ({ name, arguments: args }: { name: string; arguments: object }) =>
    client.callTool({ name, arguments: args } as never, undefined, { timeout: 400 });
  const read = [];
  for (const calls of turns) {
    const content = calls.map(({ id, tool, arguments: input }) => ({ type: "tool_use", id, name: tool, input }));
    const results = await runToolCalls({ role: "assistant", content }, (call) => once(call).catch(() => once(call)));
    read.push(
      results.map((each) => ({
        id: each.tool_use_id,
        text: each.content.map((part) => (part.type === "text" ? part.text : "")).join(),
      })),
    );
  }
  await client.close();
  return read;
};

test("an unguarded host with a retry fails each case about a lost reply, and passes those about healthy ones", async () => {
  const harness: HostHarness = { transport: "http", store: memoryStore, play };
  const failed: string[] = [];
  const passed: string[] = [];
  for (const { name, transport, run } of hostSuite.filter((each) => each.transport !== "stdio")) {
    if (transport === undefined && /never comes|reply is an error/.test(name)) continue;
    await run(harness).then(
      () => passed.push(name),
      () => failed.push(name),
    );
  }
  expect(passed).toEqual([
    "a healthy write happens once and the model reads the server's own answer",
    "a read passes and finds what was written",
    "another order is another write",
    "a tool error after the write is told as it came, and no retry of the host writes again",
  ]);
  expect(failed.length).toBeGreaterThan(8);
}, 120_000);
