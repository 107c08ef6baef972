/** A decision and its line in audit and journal are one write: whoever dies, leaves both or neither. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { newFile } from "../stores/sqlite/support.ts";
import { type RedisServer, startRedis } from "../support/redis.ts";
import { type Desk, deskOn, SECRET } from "./support.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis({ appendfsync: "no" });
});
afterAll(() => redis.stop());

const child = fileURLToPath(new URL("children/decide.ts", import.meta.url));

/** @param moment `before` or `after` the write, or so many ms after its start */
async function decideAndDie(where: readonly string[], id: string, version: number, moment: string): Promise<void> {
  const args = ["--import", "tsx", child, ...where, id, String(version), moment];
  const running = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code, signal] = await once(running, "close");
  expect([code, signal]).toEqual([null, "SIGKILL"]);
}

async function traces(desk: Desk, id: string) {
  const { state, audit, version } = await desk.guard.queue.show(id);
  const { items } = await desk.guard.queue.journal({ kind: "verdict" });
  const lines = audit.filter(({ row }) => row === "operator_applied").length;
  return { state, version, lines, journal: items.filter((line) => line.id === id).length };
}

function onStore(open: () => { desk: Desk; where: readonly string[] }): void {
  test("before the write: nothing changed, and nothing says that it did", async () => {
    const { desk, where } = open();
    const { id, version } = await desk.queued("o-1");
    await decideAndDie(where, id, version, "before");
    expect(await traces(desk, id)).toEqual({ state: "unresolved", version, lines: 0, journal: 0 });
  });

  test("after the write: the decision stands with its lines, and handing it in once more adds none", async () => {
    const { desk, where } = open();
    const { id, version } = await desk.queued("o-1");
    await decideAndDie(where, id, version, "after");
    const after = { state: "applied", version: version + 1, lines: 1, journal: 1 };
    expect(await traces(desk, id)).toEqual(after);
    const again = { verdict: "applied", version, actor: "on-call", reason: "found it", decision: "d-1" } as const;
    await desk.guard.queue.resolve(id, again);
    expect(await traces(desk, id)).toEqual(after);
  });

  test("around the write: both or neither, whatever the moment", async () => {
    const { desk, where } = open();
    const items = [];
    for (let n = 0; n < 4; n += 1) items.push(await desk.queued(`o-${n}`));
    await Promise.all(items.map(({ id, version }, n) => decideAndDie(where, id, version, String(n))));
    for (const { id, version } of items) {
      const { state, lines, journal, version: now } = await traces(desk, id);
      const isDecided = state === "applied";
      expect([lines, journal, now]).toEqual(isDecided ? [1, 1, version + 1] : [0, 0, version]);
    }
  });
}

describe("A process that dies while it decides, on SQLite", () => {
  onStore(() => {
    const file = newFile();
    const reopen = () => sqliteStore({ file });
    return { desk: deskOn(reopen(), reopen), where: ["sqlite", file, "-"] };
  });
});

let count = 0;
describe("A process that dies while it decides, on Redis", () => {
  onStore(() => {
    const namespace = `kill-${++count}`;
    const reopen = () => redisStore({ url: redis.url, namespace, secret: SECRET });
    return { desk: deskOn(reopen(), reopen), where: ["redis", redis.url, namespace] };
  });
});
