/**
 * Pages of the lists and of the journal, across groups: one short script for each group says what stands there, then
 * only what is shown is read.
 */

import type {
  JournalEntry,
  JournalPage,
  JournalRequest,
  ListRequest,
  Page,
  StoredRecord,
} from "../../../src/entries/store.ts";
import { IndoubtError } from "../../../src/index.ts";
import { inBatches } from "./batches.ts";
import { storeTime } from "./browse.ts";
import type { Index } from "./codec.ts";
import type { Connection } from "./connection.ts";
import type { GroupState, Groups } from "./groups.ts";
import { idOf } from "./keys.ts";
import { recordsOf } from "./rows.ts";
import { headsScript, journalScript, type RunScript } from "./scripts.gen.ts";

/** An entry of an index, and with it the place of a page's end. */
interface Head {
  readonly tag: string;
  readonly score: number;
  readonly rest: string;
}

const limitOf = (limit = 50): number => Math.max(1, Math.min(limit, 1_000));

const ask = (connection: Connection, send: (run: RunScript) => Promise<unknown>): Promise<unknown> =>
  connection.call("none", (client) => send((name, out) => connection.script(client, name, out)));

async function narrowed(groups: Groups, { server, tool }: Pick<ListRequest, "server" | "tool">): Promise<GroupState[]> {
  const all = await groups.all();
  return all.filter(
    ({ group }) => (server === undefined || group.server === server) && (tool === undefined || group.tool === tool),
  );
}

export async function listPage(connection: Connection, groups: Groups, request: ListRequest): Promise<Page> {
  const limit = limitOf(request.limit);
  let place = request.cursor === undefined ? undefined : readPlace(request.cursor);
  const now = await storeTime(connection);
  const states = await narrowed(groups, request);
  const what = {
    index: request.index === "open" ? "due" : request.index,
    payloads: request.payloads ?? false,
  } as const;
  const items: StoredRecord[] = [];
  for (;;) {
    const room = limit - items.length;
    const heads = await headsBehind(connection, states, { ...request, ...what }, place, room + 1);
    const page = heads.slice(0, room);
    items.push(...(await recordsOf(connection, groups, page, what)));
    place = page.at(-1) ?? place;
    if (place === undefined || heads.length <= room) return { now, items };
    if (items.length === limit) return { now, items, nextCursor: `${place.tag}.${place.score}.${place.rest}` };
  }
}

/** The first entries behind the place, of all groups, in the order of the page. */
async function headsBehind(
  connection: Connection,
  states: readonly GroupState[],
  { index, order }: { readonly index: Index; readonly order?: ListRequest["order"] },
  place: Head | undefined,
  limit: number,
): Promise<Head[]> {
  const newest = order === "newest";
  const stretches = await inBatches(states, async ({ group: { tag }, keys }) => {
    const args = {
      from: place === undefined ? "" : String(place.score),
      after: place?.tag === tag ? place.rest : "",
      same: place !== undefined && (newest ? tag < place.tag : tag > place.tag),
      newest,
      limit,
    };
    const found = (await ask(connection, (run) => headsScript(run, { index: keys[index] }, args))) as string[];
    return found.flatMap((rest, at) => (at % 2 === 0 ? [{ tag, score: Number(found[at + 1]), rest }] : []));
  });
  const heads = stretches.flat().sort(isBefore);
  return (newest ? heads.reverse() : heads).slice(0, limit);
}

function isBefore(one: Head, other: Head): number {
  if (one.score !== other.score) return one.score - other.score;
  if (one.tag !== other.tag) return one.tag < other.tag ? -1 : 1;
  return one.rest < other.rest ? -1 : 1;
}

function readPlace(text: string): Head {
  const [, tag, score, rest] = /^([\w-]{1,200})\.(\d{1,16})\.([\w-]{1,200})$/.exec(text) ?? [];
  if (tag && score && rest) return { tag, score: Number(score), rest };
  throw foreignCursor();
}

const foreignCursor = (): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", "The cursor is not one of this store. Start again without a cursor.", {
    details: { path: "cursor" },
  });

interface Line extends JournalEntry {
  readonly number: number;
}

export async function journalPage(
  connection: Connection,
  groups: Groups,
  request: JournalRequest,
): Promise<JournalPage> {
  const limit = limitOf(request.limit);
  const place = request.cursor === undefined ? undefined : readLinePlace(request.cursor);
  const now = await storeTime(connection);
  const stretches = await inBatches(await narrowed(groups, request), async ({ group, keys: { marks } }) => {
    const { at, number } = behind(group.tag, place);
    const args = { at, number, limit: limit + 1 };
    const found = (await ask(connection, (run) => journalScript(run, { marks }, args))) as string[];
    return found.map((text): Line => readLine(group, text));
  });
  const lines = stretches.flat().sort((one, other) => {
    if (one.at !== other.at) return other.at - one.at;
    if (one.group.tag !== other.group.tag) return one.group.tag < other.group.tag ? 1 : -1;
    return other.number - one.number;
  });
  const page = lines.slice(0, limit);
  const entries = page.map(({ number: _number, ...entry }): JournalEntry => entry);
  const last = page.at(-1);
  if (!last || lines.length <= limit) return { now, entries };
  return { now, entries, nextCursor: `${last.group.tag}.${last.at}.${last.number}` };
}

interface LinePlace {
  readonly tag: string;
  readonly at: number;
  readonly number: number;
}

/** Of lines of one time, those of the groups with the higher tags come first. */
function behind(tag: string, place: LinePlace | undefined): { at: number; number: number } {
  if (place === undefined) return { at: -1, number: 0 };
  if (place.tag === tag) return place;
  return { at: place.at, number: tag < place.tag ? Number.MAX_SAFE_INTEGER : 0 };
}

function readLinePlace(text: string): LinePlace {
  const [, tag, at, number] = /^([\w-]{1,200})\.(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  if (tag && at && number) return { tag, at: Number(at), number: Number(number) };
  throw foreignCursor();
}

/** From `number|at|rest|line`. */
function readLine(group: JournalEntry["group"], text: string): Line {
  const first = text.indexOf("|");
  const second = text.indexOf("|", first + 1);
  const third = text.indexOf("|", second + 1);
  return {
    number: Number(text.slice(0, first)),
    at: Number(text.slice(first + 1, second)),
    id: idOf(group.tag, text.slice(second + 1, third)),
    group,
    line: text.slice(third + 1),
  };
}
