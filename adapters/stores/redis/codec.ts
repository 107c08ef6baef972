/** Between the words of the port and the words of the scripts. */

import type { BeginRequest, Change, Group, HistoryLine, Moment, StoredRecord } from "../../../src/entries/store.ts";
import { IndoubtError } from "../../../src/index.ts";
import { idOf, restOf } from "./keys.ts";
import type { ScriptChange } from "./scripts.gen.ts";

const NONE: readonly string[] = [];
/** Length of `<own end, 13 digits>|` before a payload. */
const PAYLOAD_HEAD = 14;

const writeMoment = (moment: Moment | null): string => {
  if (moment === null) return "";
  return typeof moment === "number" ? String(moment) : `+${moment.after}`;
};

function writePayload(payload: string | null | undefined): string {
  if (payload === undefined) return "=";
  return payload === null ? "-" : `+${payload}`;
}

/** Words of a script call are joined by "|". */
export function checkWord(name: string, word: string): void {
  if (word.includes("|")) throw new IndoubtError("CONFIG_INVALID", `${name} must not contain "|".`);
}

function checkId(group: Group, id: string): void {
  checkWord("An operation id", id);
  if (id.startsWith(group.tag) && id[group.tag.length] === "_") return;
  throw new IndoubtError(
    "CONFIG_INVALID",
    `The operation id "${id}" must begin with "${group.tag}_", its group's tag.`,
  );
}

export function writeChange(group: Group, change: Change): ScriptChange {
  checkId(group, change.id);
  checkWord("A write token", change.token);
  return {
    id: restOf(change.id),
    expect: change.expect,
    token: change.token,
    body: change.body,
    payload: writePayload(change.payload),
    payloadExpire: change.payloadExpireIn ?? -1,
    due: writeMoment(change.due),
    attention: change.attention,
    since: change.since === undefined ? "" : String(change.since),
    expire: change.expireIn ?? -1,
    addHolds: change.addHolds ?? NONE,
    removeHolds: change.removeHolds ?? NONE,
    history: change.history ?? NONE,
    journal: change.journal ?? NONE,
  };
}

/** What `begin.lua` is told of the new record. */
export function writeIntent(request: BeginRequest) {
  const { group, id, token, digest, body, payload, due, holds: ownHolds, blockedBy } = request;
  const { attention = false, history = NONE, journal = NONE } = request;
  checkId(group, id);
  checkWord("A write token", token);
  checkWord("A digest", digest);
  const hasPayload = payload !== undefined;
  const flags = `${due === null ? "" : "d"}${attention ? "a" : ""}${hasPayload ? "p" : ""}${history.length > 0 ? "h" : ""}`;
  return {
    id: restOf(id),
    due: writeMoment(due),
    attention,
    tail: `${token}|${digest}|${flags}|${body}`,
    payload: hasPayload ? `+${payload}` : "",
    ownHolds,
    blockedBy,
    history,
    journal,
  };
}

export type Index = "due" | "attention";

/** Whether a record `version|at|token|digest|flags|body` has an entry in this index. */
export function standsIn(index: Index, text: string): boolean {
  const [, , , , flags = ""] = text.split("|", 5);
  return flags.includes(index === "due" ? "d" : "a");
}

/** From `version|at|token|digest|flags|body`. @param loss the last one that the group's marks told of when it was read */
export function readRecord(
  group: Group,
  rest: string,
  text: string,
  payload: string | null,
  loss: number,
): StoredRecord {
  const first = text.indexOf("|");
  const second = text.indexOf("|", first + 1);
  const third = text.indexOf("|", second + 1);
  const fourth = text.indexOf("|", third + 1);
  const fifth = text.indexOf("|", fourth + 1);
  const record: StoredRecord = {
    id: idOf(group.tag, rest),
    group,
    version: Number(text.slice(0, first)),
    at: Number(text.slice(first + 1, second)),
    digest: text.slice(third + 1, fourth),
    body: text.slice(fifth + 1),
  };
  const known = loss > 0 ? { ...record, lossAt: loss } : record;
  return payload === null ? known : { ...known, payload: payload.slice(PAYLOAD_HEAD) };
}

export function readHistoryLine(text: string): HistoryLine {
  const bar = text.indexOf("|");
  return { at: Number(text.slice(0, bar)), line: text.slice(bar + 1) };
}

/** How every answer of a group's script begins, and the parts that follow. */
export interface Answer {
  readonly kind: string;
  /** Clock of the group: never goes back. */
  readonly now: number;
  /** Clock of the server, as it is. */
  readonly time: number;
  /** Writes of the group so far. */
  readonly count: number;
  /** The generation that the script found. */
  readonly generation: number;
  /** The last known loss, likewise. */
  readonly loss: number;
  readonly parts: readonly unknown[];
}

const HEAD = 4;

/** @param generation @param loss those of the marks that the script compared */
export function readAnswer(reply: unknown, generation: number, loss: number): Answer {
  const parts = reply as readonly [string, number, number, number, ...unknown[]];
  return { kind: parts[0], now: parts[1], time: parts[2], count: parts[3], generation, loss, parts };
}

export const textAt = ({ parts }: Answer, index: number): string => parts[HEAD + index] as string;
export const listAt = ({ parts }: Answer, index: number): readonly unknown[] =>
  parts[HEAD + index] as readonly unknown[];
export const partCount = ({ parts }: Answer): number => parts.length - HEAD;
