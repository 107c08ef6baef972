import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { loadDriver } from "../../../adapters/stores/sqlite/driver.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { idOf } from "./children/requests.ts";
import { ended, newFile, startChild } from "./support.ts";

const KILLS = 20;

async function killedWriter(file: string, name: string): Promise<Map<string, number>> {
  const child = startChild("writer", file, name);
  const gone = ended(child);
  while (child.output() === "") await sleep(5);
  await sleep(Math.random() * 150);
  child.kill("SIGKILL");
  await gone;
  // The last line may be cut off.
  const lines = child.output().split("\n").slice(0, -1);
  return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
}

test(`a writer killed ${KILLS} times at random moments leaves every acknowledged write behind`, async () => {
  const file = newFile();
  let acknowledged = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const versions = await killedWriter(file, `k${kill}`);
    acknowledged += versions.size;
    const store = sqliteStore({ file });
    for (const [name, version] of versions) {
      const { record } = await store.read(idOf(name));
      expect(record?.version ?? 0, `${name} of kill ${kill}`).toBeGreaterThanOrEqual(version);
      expect((await store.history(idOf(name))).length).toBe(record?.version);
    }
    await store.close();
  }
  expect(acknowledged).toBeGreaterThan(KILLS);

  const database = (await loadDriver()).open(file);
  expect(database.prepare("PRAGMA integrity_check").get({})).toEqual({ integrity_check: "ok" });
  const orphans =
    "SELECT (SELECT count(*) FROM history WHERE born NOT IN (SELECT born FROM records)) + " +
    "(SELECT count(*) FROM holds WHERE born NOT IN (SELECT born FROM records)) AS orphans";
  expect(database.prepare(orphans).get({})).toEqual({ orphans: 0 });
  database.close();
  console.log(`${KILLS} kills, ${acknowledged} acknowledged operations, none lost`);
}, 120_000);
