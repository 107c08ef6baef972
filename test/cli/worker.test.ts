/** The worker against a real MCP server in a child process; the server's own file is the judge. */
import { afterAll, expect, test, vi } from "vitest";
import { billingIn, loseReply, writeHookConfig, writeProbeConfig } from "./support/billing.ts";
import { errorOf, jsonOf, newFolder, type Running, run, startForTest } from "./support/command.ts";
import { doubts, guardOf, type Place, redisPlace, SECRET, sqlitePlace, stopRedis } from "./support/store.ts";

vi.setConfig({ testTimeout: 120_000 });
afterAll(stopRedis);

interface Shown {
  readonly state: string;
  readonly ref: string | null;
  readonly attempts: number;
}
const show = async (place: Place, id: string): Promise<Shown> =>
  jsonOf<Shown>(await run(["queue", "show", id, "--json"], place));

const lines = (worker: Running): Record<string, unknown>[] =>
  worker
    .stdout()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function stopped(worker: Running, signal: "SIGTERM" | "SIGINT" = "SIGTERM"): Promise<number | null> {
  worker.child.kill(signal);
  return (await worker.ended).code;
}

test("a write whose reply was lost is found by the hook of the configuration; nothing is sent again (C05)", async () => {
  const place = sqlitePlace(newFolder());
  const billing = await billingIn(place.cwd);
  const id = await loseReply(place, billing, "create_invoice", { order: "1042", cents: 9000 });
  expect(billing.effects()).toHaveLength(1);
  writeHookConfig(place.cwd, billing);
  const worker = await startForTest(["worker", "--json"], place);
  await worker.heard(/"to":"applied"/);
  expect(await stopped(worker)).toBe(0);
  expect(await show(place, id)).toMatchObject({ state: "applied", ref: billing.effects()[0]?.id, attempts: 1 });
  expect(billing.effects()).toHaveLength(1);
  const events = lines(worker).map(({ event }) => event);
  expect(events).toEqual(expect.arrayContaining(["started", "connected", "observed", "transition", "stopping"]));
  expect(events.at(-1)).toBe("stopped");
});

test("a worker whose reader is gone does not end as if it had been told to: whoever watches it starts it again", async () => {
  const place = sqlitePlace(newFolder());
  writeHookConfig(place.cwd, await billingIn(place.cwd));
  const worker = await startForTest(["worker", "--json"], place);
  worker.child.stdout?.destroy();
  expect((await worker.ended).code).toBe(1);
});

test("a probe of a JSON file finds it too, without code", async () => {
  const place = sqlitePlace(newFolder());
  const billing = await billingIn(place.cwd);
  const id = await loseReply(place, billing, "create_invoice", { order: "1042", cents: 9000 });
  writeProbeConfig(place.cwd, billing);
  const worker = await startForTest(["worker", "--json"], place);
  await worker.heard(/"to":"applied"/);
  expect(await stopped(worker)).toBe(0);
  expect(await show(place, id)).toMatchObject({ state: "applied", ref: billing.effects()[0]?.id, attempts: 1 });
  expect(billing.effects()).toHaveLength(1);
});

test("on Redis, with address and secret from the environment; a second worker leaves the settled one alone", async () => {
  const place = await redisPlace(newFolder());
  const billing = await billingIn(place.cwd);
  const id = await loseReply(place, billing, "create_invoice", { order: "1042", cents: 9000 });
  const [, url = "", , namespace = ""] = place.args;
  writeProbeConfig(place.cwd, billing, { store: { env: "QUEUE_URL" }, namespace, secret: { env: "QUEUE_SECRET" } });
  const there = { cwd: place.cwd, env: { QUEUE_URL: url, QUEUE_SECRET: SECRET } };
  const workers = await Promise.all([1, 2].map(() => startForTest(["worker", "--json"], there)));
  await Promise.race(workers.map((worker) => worker.heard(/"to":"applied"/)));
  const shown = jsonOf<Shown>(await run(["queue", "show", id, "--json"], there));
  expect(shown).toMatchObject({ state: "applied", ref: billing.effects()[0]?.id, attempts: 1 });
  expect(await Promise.all(workers.map((worker) => stopped(worker)))).toEqual([0, 0]);
  expect(workers.flatMap(lines).filter(({ event, to }) => event === "transition" && to === "applied")).toHaveLength(1);
  expect(billing.effects()).toHaveLength(1);
});

test("an operator's resend is sent once, though two workers run (I1, I2)", async () => {
  const place = sqlitePlace(newFolder());
  const billing = await billingIn(place.cwd);
  const [id = ""] = await doubts(place, [{ tool: "charge_card", arguments: { order: "o-1", cents: 9000 } }]);
  expect(billing.effects()).toEqual([]);
  writeHookConfig(place.cwd, billing);
  const workers = await Promise.all([1, 2].map(() => startForTest(["worker", "--json"], place)));
  await Promise.all(workers.map((worker) => worker.heard(/"connected"/)));
  const words = ["--version", "3", "--reason", "the bank knows nothing of it", "--json"];
  expect((await run(["queue", "resolve", id, "resend", ...words], place)).code).toBe(0);
  await Promise.race(workers.map((worker) => worker.heard(/"to":"succeeded"/)));
  expect(await Promise.all(workers.map((worker) => stopped(worker)))).toEqual([0, 0]);
  expect(billing.effects()).toHaveLength(1);
  expect(await show(place, id)).toMatchObject({ state: "succeeded", attempts: 2 });
});

test("without hook or contract it goes to a person, who hears of it in the worker's log", async () => {
  const place = sqlitePlace(newFolder());
  const billing = await billingIn(place.cwd);
  const guard = guardOf(place.open(), [{ server: "billing", tool: "charge_card" }]);
  await guard.close();
  const id = await loseReply(place, billing, "charge_card", { order: "7", cents: 100 });
  writeHookConfig(place.cwd, billing);
  const worker = await startForTest(["worker", "--json"], place);
  await worker.heard(/"queued"/);
  expect(lines(worker).find(({ event }) => event === "queued")).toMatchObject({ operation: id, tool: "charge_card" });
  expect(await stopped(worker, "SIGINT")).toBe(0);
  expect(billing.effects()).toHaveLength(1);
});

test("the health port tells of store and servers, and closes with the worker", async () => {
  const place = sqlitePlace(newFolder());
  const billing = await billingIn(place.cwd);
  writeHookConfig(place.cwd, billing);
  const worker = await startForTest(["worker", "--json", "--health-port", "0"], place);
  await worker.heard(/"connected"/);
  await worker.heard(/"started"/);
  const port = lines(worker).find(({ event }) => event === "started")?.health_port;
  const answer = await fetch(`http://127.0.0.1:${port}/health`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    status: "ok",
    store: { kind: "sqlite", ok: true },
    servers: { billing: "connected" },
  });
  expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
  expect(await stopped(worker)).toBe(0);
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});

test("a server that cannot be reached is told and tried again; the worker goes on", async () => {
  const place = sqlitePlace(newFolder());
  writeHookConfig(place.cwd, { command: "no-such-program-of-ours", args: [], effects: () => [] });
  const worker = await startForTest(["worker"], place);
  await worker.heard(/warn {2}not_connected server=billing/);
  expect(await stopped(worker)).toBe(0);
});

test("a worker without the hooks of the programs would give everything to a person: it refuses to start", async () => {
  const place = sqlitePlace(newFolder());
  const refused = await run(["worker", "--json"], place);
  expect(refused.code).toBe(3);
  expect(errorOf(refused)).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringContaining("--bare") });
  const worker = await startForTest(["worker", "--bare", "--json"], place);
  await worker.heard(/"started"/);
  expect(await stopped(worker)).toBe(0);
});
