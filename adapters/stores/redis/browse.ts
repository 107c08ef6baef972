/** Looking across groups: what is due, and the pages of the lists. Both cost one short script for each group at most. */
import { IndoubtError, type ListRequest, type Page, type StoredRecord } from "../../../src/index.ts";
import { inBatches } from "./batches.ts";
import { partCount, readRecord, textAt } from "./codec.ts";
import type { Connection } from "./connection.ts";
import type { GroupState, Groups } from "./groups.ts";
import { type GroupKeys, type RecordKeys, recordKeys } from "./keys.ts";
import { readMarks } from "./marks.ts";
import { dueScript, type ListArgs, listScript, type RunScript, readScript } from "./scripts.gen.ts";

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

export async function readOne(connection: Connection, { marks, names }: GroupKeys, record: RecordKeys) {
  const reply = await connection.call("none", (client) => {
    const run: RunScript = (name, out) => connection.script(client, name, out);
    return readScript(run, { marks, names, record: record.record, payload: record.payload });
  });
  const [time, found, text, payload, who] = reply as [number, ...(string | null)[]];
  const { generation, last } = readMarks(found ?? null);
  return { now: Math.max(time, last), generation, text: text ?? null, payload: payload ?? null, who: who ?? null };
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
    const answer = await groups.ask(state, (run, marks) => dueScript(run, state.keys, { ...marks, limit }));
    now = Math.max(now, answer.now);
    for (let i = 0; i < partCount(answer); i += 2) {
      heads.push({ state, rest: textAt(answer, i), at: Number(textAt(answer, i + 1)) });
    }
    if (heads.length > limit * 10) heads = oldest(heads, limit);
  });
  const records = await inBatches(oldest(heads, limit), async ({ state, rest }) => {
    const { text, payload } = await readOne(connection, state.keys, recordKeys(state.keys, rest));
    return text === null ? undefined : readRecord(state.group, rest, text, payload);
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
    const cursor = await fill(connection, state, request.index, isFirst ? start : undefined, items, limit);
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
  connection: Connection,
  state: GroupState,
  index: ListRequest["index"],
  start: Cursor | undefined,
  items: StoredRecord[],
  limit: number,
): Promise<Cursor | undefined> {
  const { group } = state;
  let cursor = start ?? { tag: group.tag, from: "", after: "" };
  for (;;) {
    const room = limit - items.length;
    if (room === 0) return cursor;
    const found = await stretch(connection, state, index, { ...cursor, limit: room });
    for (let i = 0; i < found.length; i += 4) {
      const [rest = "", from = "", text = null, payload = null] = found.slice(i, i + 4);
      const isSeen = from === start?.from && rest !== null && rest <= start.after;
      if (text !== null && !isSeen) items.push(readRecord(group, rest ?? "", text, payload));
      cursor = { tag: group.tag, from: from ?? "", after: rest ?? "" };
    }
    if (found.length < room * 4) return undefined;
  }
}

async function stretch(
  connection: Connection,
  state: GroupState,
  index: ListRequest["index"],
  args: ListArgs,
): Promise<readonly (string | null)[]> {
  const keys = { marks: state.keys.marks, index: indexKey(state, index) };
  const reply = await connection.call("none", (client) =>
    listScript((name, out) => connection.script(client, name, out), keys, args),
  );
  return reply as readonly (string | null)[];
}

const writeCursor = ({ tag, from, after }: Cursor): string => `${tag}.${from}.${after}`;

function readCursor(text: string): Cursor {
  const [tag, from, after] = text.split(".");
  if (tag && from && after) return { tag, from, after };
  throw new IndoubtError("CONFIG_INVALID", `"${text}" is not a cursor of this store. Start again without a cursor.`);
}
