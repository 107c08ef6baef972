/** The control slot: layout, key id, suspensions. */
import type { Suspension } from "../../../src/index.ts";
import { inBatches } from "./batches.ts";
import type { Connection } from "./connection.ts";
import { incompatible } from "./failures.ts";
import type { Groups } from "./groups.ts";
import { LAYOUT } from "./keys.ts";
import { type RunScript, raiseScript, suspendedScript, suspendScript } from "./scripts.gen.ts";

export interface Control {
  /** Writes the layout once, or refuses another one. @throws IndoubtError STORE_INCOMPATIBLE */
  checkLayout(): Promise<void>;
  bindKey(keyId: string): Promise<void>;
  suspend(suspension: Omit<Suspension, "at">): Promise<void>;
  lift(server: string, tool: string): Promise<void>;
  suspensions(): Promise<readonly Suspension[]>;
}

const fieldOf = (server: string, tool: string): string => JSON.stringify([server, tool]);

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
    async suspend(suspension) {
      const { server, tool, reason, actor, detail } = suspension;
      const text = JSON.stringify({ server, tool, reason, actor, ...(detail === undefined ? {} : { detail }) });
      const field = fieldOf(server, tool);
      const isOpen = await script((run) => suspendScript(run, { suspensions }, { tool: field, suspension: text }));
      if (isOpen === 0) return;
      await raise(server, tool);
      await script((run) => suspendedScript(run, { suspensions }, { tool: field }));
    },
    async lift(server, tool) {
      await connection.call("possible", (client) => client.hdel(suspensions, fieldOf(server, tool)));
      await raise(server, tool);
    },
    async suspensions() {
      const all = await connection.call("none", (client) => client.hvals(suspensions));
      return all.map(readSuspension).sort((one, other) => one.at - other.at);
    },
  };
}
