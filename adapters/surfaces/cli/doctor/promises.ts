/** What this set-up promises and what not, in short; docs/guarantees.md has the whole story and the measurements. */
import type { Setup } from "../../setup/index.ts";

const NOTHING_LOST = "A killed client loses nothing that was recorded.";

const STORES: Readonly<Record<string, { readonly kept: readonly string[]; readonly lost: readonly string[] }>> = {
  sqlite: {
    kept: [NOTHING_LOST, "A power cut loses nothing that was recorded, on a disk that keeps what was synced."],
    lost: ["Anything on other machines: the file serves the processes of this one."],
  },
  redis: {
    kept: [NOTHING_LOST],
    lost: [
      "What a power cut takes: nothing with appendfsync always, the last second with everysec, everything without AOF.",
      'What a failover takes: the unreplicated tail, unless durability is "replica".',
    ],
  },
  memory: { kept: [], lost: ["Anything after this process: the store forgets, and a write may be sent again."] },
};

export function promised({ store, config }: Setup, reachable: boolean): string[] {
  if (!reachable) return ["Nothing is sent while the store cannot be used: writes fail closed."];
  const looked = Object.values(config.servers).flatMap(({ tools }) => Object.values(tools)).length > 0;
  return [
    "At most one effect per operation, and every attempt of unknown effect is settled with evidence or visible in the queue.",
    "Nothing is sent without a record of it; doubt never expires.",
    ...(STORES[store.kind]?.kept ?? []),
    ...(looked ? [] : ["Each tool that nobody declared is a write: sent once, held while its outcome is unknown."]),
  ];
}

export function notPromised({ store, config }: Setup): string[] {
  const failing = Object.values(config.servers).some(({ tools }) =>
    Object.values(tools).some((tool) => !canTell(tool)),
  );
  return [
    "Exactly once, or that the destination can be reached.",
    "Anything about writes made around the guard.",
    ...(Object.values(config.servers).some(({ url }) => url !== undefined)
      ? ["That gateways before a server over HTTP deliver a call once: try them with `indoubt path test`."]
      : []),
    ...(failing || Object.keys(config.servers).length === 0
      ? ["Anything about `failed`: a tool error of a tool without hook and contract claims nothing."]
      : []),
    ...(STORES[store.kind]?.lost ?? []),
  ];
}

const canTell = (tool: {
  readonly reconcile?: unknown;
  readonly contract?: unknown;
  readonly effect?: string | undefined;
}): boolean => tool.effect === "read" || tool.reconcile !== undefined || tool.contract !== undefined;
