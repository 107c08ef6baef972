/** The command as people start it: without a configuration, before hosts that break off. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { createGuard } from "../../../src/index.ts";
import { folder } from "../support.ts";
import { callOf, eventually, INITIALIZE, lineServer, openStates } from "./support.ts";

const BIN = fileURLToPath(new URL("../../../adapters/surfaces/cli/bin.ts", import.meta.url));

function started(cwd: string, words: readonly string[]): ChildProcess & { said(): string } {
  const env = { ...process.env, INDOUBT_SECRET: "of the record", SERVER_TOKEN: "of the server" };
  const store = join(cwd, "record.db");
  const child = spawn(process.execPath, ["--import", "tsx", BIN, "proxy", "--store", store, "--", ...words], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  child.stdin?.on("error", () => {});
  return Object.assign(child, { said: () => said });
}

const words = ({ target }: ReturnType<typeof lineServer>): readonly string[] =>
  "command" in target ? [target.command, ...(target.args ?? [])] : [];

async function statesIn(cwd: string): Promise<readonly string[]> {
  const guard = createGuard({ store: sqliteStore({ file: join(cwd, "record.db") }), sweepEvery: 3_600_000 });
  const states = await openStates(guard);
  await guard.close({ within: 0 });
  return states;
}

test("a host that breaks off in the middle of a write does not end the proxy before the answer is on record", async () => {
  const server = lineServer(`if (method === "tools/call") {
    const noise = setInterval(() => raw('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"noise"}}'), 50);
    setTimeout(() => { clearInterval(noise); raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[]}}'); }, 1500);
  }`);
  const cwd = folder();
  const proxy = started(cwd, words(server));
  proxy.stdin?.write(`${INITIALIZE}\n${callOf(1)}\n`);
  await eventually(() => server.served().includes("tools/call"), proxy.said);
  proxy.stdout?.destroy();
  await once(proxy, "exit");

  expect(await statesIn(cwd)).toEqual(["succeeded"]);
});

test("what a killed proxy left behind is in doubt by itself, without a configuration and without an equal call", async () => {
  const server = lineServer("");
  const cwd = folder();
  const first = started(cwd, words(server));
  first.stdin?.write(`${INITIALIZE}\n${callOf(1)}\n`);
  await eventually(() => server.served().includes("tools/call"), first.said);
  first.kill("SIGKILL");
  await once(first, "exit");
  const second = started(cwd, words(server));
  second.stdin?.write(`${INITIALIZE}\n`);
  const end = Date.now() + 60_000;
  let states = await statesIn(cwd);
  for (; states.includes("in_flight") && Date.now() < end; states = await statesIn(cwd)) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }

  expect(states).toEqual(["uncertain"]);
}, 90_000);

test("the server does not get the secret of the record, and gets everything else", async () => {
  const server = lineServer(
    `if (method === "custom/env") raw('{"jsonrpc":"2.0","id":' + id + ',"result":' + JSON.stringify(process.env) + '}');`,
  );
  const proxy = started(folder(), words(server));
  let said = "";
  proxy.stdout?.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  proxy.stdin?.write(`${INITIALIZE}\n{"jsonrpc":"2.0","id":5,"method":"custom/env"}\n`);
  await eventually(() => said.includes('"id":5'), proxy.said);

  expect(said).not.toContain("of the record");
  expect(said).toContain("of the server");
});
