/** A run whose process died; the framework resumes it from the checkpoint with the same run id and tool-call ids. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { FaultTool } from "../../adapters/testing/index.ts";
import type { JsonObject } from "../../src/index.ts";
import { type Served, scriptedServer } from "./stage/servers.ts";
import { session } from "./stage/session.ts";

const ADD: FaultTool = { effect: "write", name: "add_contact", idPrefix: "contact", inputSchema: { type: "object" } };
const CALLS = [
  { id: "call_1", tool: "add_contact", arguments: { name: "Ada" } },
  { id: "call_2", tool: "add_contact", arguments: { name: "Ben" } },
  { id: "call_3", tool: "add_contact", arguments: { name: "Cem" } },
];

test("a resumed run hears what its calls did before the crash, and sends none of them again", async () => {
  const stage = await session("A run is resumed from a checkpoint in a new process");
  const script = { add_contact: [{}, {}, { reply: "never" as const }, {}] };
  const served = scriptedServer({ tools: [ADD], script });
  const said = await runAndDie(join(stage.folder, "indoubt.db"), served);

  const crm = await stage.connect("crm", served);
  stage.page.scene("The first process: call_3 is out when it is killed");
  for (const { text } of said) stage.page.line("model", text);
  crm.events();

  stage.page.scene("The new process, right away: the same run, the same tool-call ids");
  const before = crm.arrivals();
  const ask = ({ id, tool, arguments: args }: (typeof CALLS)[number], more: object = {}) =>
    crm.call(tool, args as unknown as JsonObject, { context: { runId: "run-7", toolCallId: id }, ...more });
  const [one, two, three] = CALLS as [(typeof CALLS)[0], (typeof CALLS)[0], (typeof CALLS)[0]];
  const first = await ask(one);
  await ask(two);
  const third = await ask(three, {
    passes: ["it waits for the lease of the dead process to end", 40_000],
    joins: true,
  });
  const fourth = await crm.call("add_contact", { name: "Dan" }, { context: { runId: "run-7", toolCallId: "call_4" } });
  await stage.passes("Two minutes later", 120_000);
  await stage.queue();

  expect(first.outcome).toMatchObject({ kind: "succeeded", recalled: true });
  expect(third.outcome).toMatchObject({ kind: "uncertain", reason: "owner_gone" });
  expect(fourth.isError).toBe(false);
  expect(crm.arrivals() - before).toBe(1);
  expect(crm.effects()).toBe(4);
  await stage.ends("07-resumed-run.txt");
});

/** Runs the calls in a process of its own, kills it when the last one has taken effect, and tells what its model read. */
async function runAndDie(file: string, served: Served): Promise<{ text: string }[]> {
  const path = fileURLToPath(new URL("children/run.ts", import.meta.url));
  const { command, args, env } = served;
  const parts = [file, JSON.stringify({ command, args, env }), JSON.stringify(CALLS)];
  const child = spawn(process.execPath, ["--import", "tsx", path, ...parts], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  await served.log.waitFor(({ effects }) => effects().length === CALLS.length, 15_000);
  const ended = once(child, "close");
  child.kill("SIGKILL");
  await ended;
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { text: string });
}
