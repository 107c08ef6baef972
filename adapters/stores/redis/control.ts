/** The control slot: layout, key id, suspensions. */
import type { Store, Suspension } from "../../../src/entries/store.ts";
import { inBatches } from "./batches.ts";
import type { Connection } from "./connection.ts";
import { incompatible } from "./failures.ts";
import type { Groups } from "./groups.ts";
import { LAYOUT } from "./keys.ts";
import { liftScript, type RunScript, raiseScript, suspendedScript, suspendScript } from "./scripts.gen.ts";

export interface Control {
  /** Writes the layout once, or refuses another one. @throws IndoubtError STORE_INCOMPATIBLE */
  checkLayout(): Promise<void>;
  bindKey(keyId: string): Promise<void>;
  suspend: Store["suspend"];
  lift: Store["lift"];
  suspensions: Store["suspensions"];
}

const fieldOf = (server: string, tool: string): string => JSON.stringify([server, tool]);

/** The same text for the same suspension: what stands is compared with it. */
const textOf = ({ server, tool, reason, actor, detail }: Omit<Suspension, "at">): string =>
  JSON.stringify({ server, tool, reason, actor, ...(detail === undefined ? {} : { detail }) });

function readSuspension(text: string): Suspension {
  const [at = "0", , ...rest] = text.split("|");
  return { ...(JSON.parse(rest.join("|")) as Omit<Suspension, "at">), at: Number(at) };
}

export function createControl(connection: Connection, groups: Groups): Control {
  const { config, suspensions } = groups.control;
  let keyId: string | undefined;

  /** Writes a value that stays, and tells which one is there. */
  async function settle(field: string, value: string): Promise<string> {
    await connection.call("possible", (client) => client.hsetnx(config, field, value));
    return (await connection.call("none", (client) => client.hget(config, field))) ?? value;
  }

  const checkLayout = async () => {
    const found = await settle("layout", LAYOUT);
    if (found === LAYOUT) return;
    throw incompatible(
      `This Redis holds records of layout "${found}" under this namespace; this version of indoubt reads "${LAYOUT}". ` +
        "Use the version that wrote them, or another namespace.",
    );
  };

  const bindKey = async (id: string) => {
    const found = await settle("key", id);
    if (found !== id) {
      throw incompatible(
        `Namespace "${connection.settings.namespace}" belongs to the secret with key id "${found}", not "${id}". ` +
          "Use that secret, or another namespace.",
      );
    }
    keyId = id;
  };

  async function raise(server: string, tool: string): Promise<void> {
    const concerned = (await groups.all()).filter(({ group }) => group.server === server && group.tool === tool);
    await inBatches(concerned, ({ keys }) => script((run) => raiseScript(run, { marks: keys.marks })));
  }

  const script = (send: (run: RunScript) => Promise<unknown>) =>
    connection.call("possible", (client) => send((name, out) => connection.script(client, name, out)));

  groups.onReborn(async () => {
    await checkLayout();
    if (keyId !== undefined) await bindKey(keyId);
  });

  return {
    checkLayout,
    bindKey,
    async suspend(suspension, instead) {
      const { server, tool } = suspension;
      const field = fieldOf(server, tool);
      const args = { tool: field, suspension: textOf(suspension), instead: instead ? textOf(instead) : "" };
      const stands = String(await script((run) => suspendScript(run, { suspensions }, args)));
      if (/^\d+\|0/.test(stands)) {
        await raise(server, tool);
        await script((run) => suspendedScript(run, { suspensions }, { tool: field }));
      }
      return readSuspension(stands);
    },
    async lift(server, tool, only) {
      const args = { tool: fieldOf(server, tool), only: only ? textOf(only) : "" };
      if ((await script((run) => liftScript(run, { suspensions }, args))) === 0) return false;
      await raise(server, tool);
      return true;
    },
    async suspensions() {
      const all = await connection.call("none", (client) => client.hvals(suspensions));
      return all.map(readSuspension).sort((one, other) => one.at - other.at);
    },
  };
}
