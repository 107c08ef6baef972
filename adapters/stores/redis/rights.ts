/** Whether this user may run what our scripts need. Asked at the start: a script that lacks a right stops halfway. */
import { IndoubtError } from "../../../src/index.ts";
import type { Connection } from "./connection.ts";
import { groupKeys, LAYOUT } from "./keys.ts";
import { rightsScript } from "./scripts.gen.ts";

/** A group that no tool has: its keys are those of the namespace, and nothing stands there. */
const NOBODY = "rights0000";

/** @throws IndoubtError STORE_INCOMPATIBLE with the commands that are missing, STORE_UNAVAILABLE where scripts are refused */
export async function checkRights(connection: Connection): Promise<void> {
  const { namespace, durability } = connection.settings;
  const ask = (probe: string) =>
    connection.call("none", (client) =>
      rightsScript((name, out) => connection.script(client, name, out), { probe }),
    ) as Promise<string[]>;
  const found = await Promise.all([
    ask(`${LAYOUT}:{${namespace}}:probe`),
    ask(`${groupKeys(namespace, NOBODY).base}probe`),
  ]);
  if (durability === "replica") await connection.call("none", (client) => client.wait(0, 0));
  const missing = [...new Set(found.flat())];
  if (missing.length === 0) return;
  throw new IndoubtError(
    "STORE_INCOMPATIBLE",
    `The Redis user may not run ${missing.join(", ")}: a write could stop halfway. Grant what ` +
      "adapters/stores/redis/acl.md lists; ACL SETUSER of a user that exists only adds to it.",
    { details: { missing } },
  );
}
