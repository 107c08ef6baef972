/** Looking across groups: what is due, and the pages of the lists. Both cost one short script for each group at most. */
import { IndoubtError, type ListRequest, type Page, type StoredRecord } from "../../../src/index.ts";
import { inBatches } from "./batches.ts";
import { readRecord, textAt, textOrNullAt } from "./codec.ts";
import type { Connection } from "./connection.ts";
import type { GroupState, Groups } from "./groups.ts";
import { recordKeys } from "./keys.ts";
import { dueScript, listScript, readScript } from "./scripts.gen.ts";

interface Head {
  readonly state: GroupState;
  readonly rest: string;
  readonly at: number;
}

/** Where a page ended: group, score and record of its last item. */
interface Cursor {
  readonly tag: string;
  readonly from: string;
  readonly after: string;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;

export async function readOne(groups: Groups, state: GroupState, rest: string) {
  const { record, payload } = recordKeys(state.keys, rest);
  return groups.ask(state, "none", (run) => readScript(run, { meta: state.keys.meta, record, payload }, {}));
}

const storeTime = (connection: Connection) =>
  connection.call("none", async (client) => {
    const [seconds, micros] = await client.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  });

export async function findDue(connection: Connection, groups: Groups, limit: number) {
  let now = await storeTime(connection);
  let heads: Head[] = [];
  await inBatches(await groups.all(), async (state) => {
    const { meta, due, attention } = state.keys;
    const answer = await groups.ask(state, "none", (run, marks) =>
      dueScript(run, { meta, due, attention }, { ...marks, limit }),
    );
    now = Math.max(now, answer.now);
    for (let i = 0; i < answer.rest.length; i += 2) {
      heads.push({ state, rest: textAt(answer, i), at: Number(answer.rest[i + 1]) });
    }
    if (heads.length > limit * 10) heads = oldest(heads, limit);
  });
  const records = await inBatches(oldest(heads, limit), async ({ state, rest }) => {
    const answer = await readOne(groups, state, rest);
    const text = textOrNullAt(answer, 0);
    return text === null ? undefined : readRecord(state.group, rest, text, textOrNullAt(answer, 1));
  });
  return { now, items: records.filter((record) => record !== undefined) };
}

const oldest = (heads: readonly Head[], limit: number): Head[] =>
  [...heads].sort((one, other) => one.at - other.at).slice(0, limit);

export async function listPage(connection: Connection, groups: Groups, request: ListRequest): Promise<Page> {
  const limit = Math.max(1, Math.min(request.limit ?? DEFAULT_LIMIT, MAX_LIMIT));
  const start = request.cursor === undefined ? undefined : readCursor(request.cursor);
  const now = await storeTime(connection);
  const wanted = (await groups.all()).filter(
    ({ group }) =>
      (request.server === undefined || group.server === request.server) &&
      (request.tool === undefined || group.tool === request.tool) &&
      (start === undefined || group.tag >= start.tag),
  );
  const items: StoredRecord[] = [];
  for (const state of await nonEmpty(connection, wanted, request.index)) {
    const isFirst = state.group.tag === start?.tag;
    const cursor = await fill(groups, state, request.index, isFirst ? start : undefined, items, limit);
    if (cursor !== undefined) return { now, items, nextCursor: writeCursor(cursor) };
  }
  return { now, items };
}

const indexKey = ({ keys }: GroupState, index: ListRequest["index"]): string =>
  index === "attention" ? keys.attention : keys.due;

async function nonEmpty(connection: Connection, states: readonly GroupState[], index: ListRequest["index"]) {
  const sizes = await inBatches(states, (state) =>
    connection.call("none", (client) => client.zcard(indexKey(state, index))),
  );
  return states.filter((_, position) => sizes[position] !== 0);
}

/** Adds records of one group until the page is full. @returns where it stopped, if the group may have more */
async function fill(
  groups: Groups,
  state: GroupState,
  index: ListRequest["index"],
  start: Cursor | undefined,
  items: StoredRecord[],
  limit: number,
): Promise<Cursor | undefined> {
  const { group, keys } = state;
  let cursor = start ?? { tag: group.tag, from: "", after: "" };
  for (;;) {
    const room = limit - items.length;
    if (room === 0) return cursor;
    const answer = await groups.ask(state, "none", (run) =>
      listScript(run, { meta: keys.meta, index: indexKey(state, index) }, { ...cursor, limit: room }),
    );
    for (let i = 0; i < answer.rest.length; i += 4) {
      const [rest, from] = [textAt(answer, i), textAt(answer, i + 1)];
      const text = textOrNullAt(answer, i + 2);
      const isSeen = from === start?.from && rest <= start.after;
      if (text !== null && !isSeen) items.push(readRecord(group, rest, text, textOrNullAt(answer, i + 3)));
      cursor = { tag: group.tag, from, after: rest };
    }
    if (answer.rest.length < room * 4) return undefined;
  }
}

const writeCursor = ({ tag, from, after }: Cursor): string => `${tag}.${from}.${after}`;

function readCursor(text: string): Cursor {
  const [tag, from, after] = text.split(".");
  if (tag && from && after) return { tag, from, after };
  throw new IndoubtError("CONFIG_INVALID", `"${text}" is not a cursor of this store. Start again without a cursor.`);
}
