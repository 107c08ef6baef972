/** The page's own time for a list of 50 among 10,000 open operations, over HTTP on this machine. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRedis } from "../../test/support/redis.ts";
import { redisStore, sqliteStore, startPage } from "../lib/built.ts";
import { interleave, type Row } from "../lib/measure.ts";
import { guardedCall, guardOn, silentWire } from "../lib/stage.ts";
import type { Work } from "../run.ts";

const COUNT = 10_000;

export const page: Work = async ({ scale }) => {
  const server = await startRedis({ appendfsync: "everysec" });
  const folder = mkdtempSync(join(tmpdir(), "indoubt-bench-page-"));
  const stores = {
    redis: redisStore({ url: server.url, namespace: "bench" }),
    sqlite: sqliteStore({ file: join(folder, "indoubt.db"), synchronous: "NORMAL" }),
  };
  const rows: Row[] = [];
  for (const [name, store] of Object.entries(stores)) {
    const guard = guardOn(store, { servers: { bench: { tools: { pay: { settle: "1h" } } } } });
    await fill(guard);
    const served = await startPage({ guard, port: 0 });
    const headers = await signIn(served.url);
    const read = async (path: string) => {
      const answer = await fetch(served.origin + path, { headers });
      if (!(await answer.text()).includes("data-key")) throw new Error(`${path}: ${answer.status}`);
    };
    const cases = [
      { name: `list of 50 among ${COUNT} open, ${name}`, run: () => read("/?index=open") },
      { name: `list of 50, newest first, ${name}`, run: () => read("/?index=open&order=newest") },
    ];
    rows.push(...(await interleave({ work: "page", n: scale(100), rounds: 5 }, cases)));
    await served.close();
    await guard.close({ within: 0 });
  }
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  return rows;
};

async function fill(guard: ReturnType<typeof guardOn>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < COUNT) await guardedCall(guard, `open-${next++}`, undefined, silentWire);
  };
  await Promise.all(Array.from({ length: 64 }, lane));
}

async function signIn(url: string): Promise<{ cookie: string }> {
  const answer = await fetch(url, { redirect: "manual" });
  return { cookie: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}
