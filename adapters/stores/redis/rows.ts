/** Many records by their place in an index: one script for each group reads all of its own. */
import type { StoredRecord } from "../../../src/entries/store.ts";
import { inBatches } from "./batches.ts";
import { type Index, readRecord, standsIn } from "./codec.ts";
import type { Connection } from "./connection.ts";
import type { Groups } from "./groups.ts";
import { readMarks } from "./marks.ts";
import { rowsScript } from "./scripts.gen.ts";

export interface Entry {
  readonly tag: string;
  /** The operation id without its tag. */
  readonly rest: string;
}

/** So many records are read by one script, so that calls are not kept waiting behind it. */
const ROWS = 100;

/**
 * In the order of the entries. One that has left the index since its entry was read is left out; one whose record has
 * expired is swept out of it, too.
 */
export async function recordsOf(
  connection: Connection,
  groups: Groups,
  entries: readonly Entry[],
  { index, payloads }: { readonly index: Index; readonly payloads: boolean },
): Promise<StoredRecord[]> {
  const records = new Map<Entry, StoredRecord>();
  await inBatches(stretches(entries), async (own) => {
    const state = groups.byTag(own[0]?.tag ?? "");
    if (state === undefined) return;
    const { marks, due, attention } = state.keys;
    const ids = own.map(({ rest }) => rest);
    const found = await connection.call("none", (client) => {
      const keys = { marks, due, attention };
      return rowsScript((name, out) => connection.script(client, name, out), keys, { payloads, ids });
    });
    const [marked = null, ...texts] = found as (string | null)[];
    const { loss } = readMarks(marked);
    for (const [at, entry] of own.entries()) {
      const text = texts[2 * at] ?? null;
      if (text !== null && standsIn(index, text))
        records.set(entry, readRecord(state.group, entry.rest, text, texts[2 * at + 1] ?? null, loss));
    }
  });
  return entries.flatMap((entry) => records.get(entry) ?? []);
}

/** What one script reads: entries of one group. */
function stretches(entries: readonly Entry[]): Entry[][] {
  const last = new Map<string, Entry[]>();
  const all: Entry[][] = [];
  for (const entry of entries) {
    const open = last.get(entry.tag);
    if (open && open.length < ROWS) {
      open.push(entry);
      continue;
    }
    const fresh = [entry];
    last.set(entry.tag, fresh);
    all.push(fresh);
  }
  return all;
}
