/** Looking at one record, and across groups at what is due: one short script for each group. */
import { inBatches } from "./batches.ts";
import { partCount, textAt } from "./codec.ts";
import type { Connection } from "./connection.ts";
import type { Groups } from "./groups.ts";
import type { GroupKeys, RecordKeys } from "./keys.ts";
import { readMarks } from "./marks.ts";
import { type Entry, recordsOf } from "./rows.ts";
import { dueScript, type RunScript, readScript } from "./scripts.gen.ts";

interface Head extends Entry {
  readonly at: number;
}

export async function readOne(connection: Connection, { marks, names }: GroupKeys, record: RecordKeys) {
  const reply = await connection.call("none", (client) => {
    const run: RunScript = (name, out) => connection.script(client, name, out);
    return readScript(run, { marks, names, record: record.record, payload: record.payload });
  });
  const [time, found, text, payload, who] = reply as [number, ...(string | null)[]];
  const { generation, last, loss } = readMarks(found ?? null);
  return {
    now: Math.max(time, last),
    generation,
    loss,
    text: text ?? null,
    payload: payload ?? null,
    who: who ?? null,
  };
}

export const storeTime = (connection: Connection) =>
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
      heads.push({ tag: state.group.tag, rest: textAt(answer, i), at: Number(textAt(answer, i + 1)) });
    }
    if (heads.length > limit * 10) heads = oldest(heads, limit);
  });
  return { now, items: await recordsOf(connection, groups, oldest(heads, limit), { index: "due", payloads: true }) };
}

const oldest = (heads: readonly Head[], limit: number): Head[] =>
  [...heads].sort((one, other) => one.at - other.at).slice(0, limit);
