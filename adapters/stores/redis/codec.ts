/** Between the words of the port and the words of the scripts. */
import {
  type Change,
  type Group,
  type HistoryLine,
  IndoubtError,
  type Moment,
  type StoredRecord,
} from "../../../src/index.ts";
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

/** Ids in one group share their tag; a `|` would break the record's text. */
function checkTexts(group: Group, id: string, token: string): void {
  if (!id.startsWith(group.tag) || id[group.tag.length] !== "_") {
    throw new IndoubtError(
      "CONFIG_INVALID",
      `The operation id "${id}" must begin with "${group.tag}_", its group's tag.`,
    );
  }
  if (token.includes("|")) throw new IndoubtError("CONFIG_INVALID", 'A write token must not contain "|".');
}

export function writeChange(group: Group, change: Change): ScriptChange {
  checkTexts(group, change.id, change.token);
  return {
    id: restOf(change.id),
    expect: change.expect,
    token: change.token,
    body: change.body,
    payload: writePayload(change.payload),
    payloadExpire: change.payloadExpireIn ?? -1,
    due: writeMoment(change.due),
    attention: change.attention,
    expire: change.expireIn ?? -1,
    addHolds: change.addHolds ?? NONE,
    removeHolds: change.removeHolds ?? NONE,
    history: change.history ?? NONE,
  };
}

/** Text after the `count`-th bar; the part between the last two bars is what comes before. */
export function readRecord(group: Group, rest: string, text: string, payload: string | null): StoredRecord {
  const first = text.indexOf("|");
  const second = text.indexOf("|", first + 1);
  const third = text.indexOf("|", second + 1);
  const fourth = text.indexOf("|", third + 1);
  const record = {
    id: idOf(group.tag, rest),
    group,
    version: Number(text.slice(0, first)),
    at: Number(text.slice(first + 1, second)),
    digest: text.slice(third + 1, fourth),
    body: text.slice(fourth + 1),
  };
  return payload === null ? record : { ...record, payload: payload.slice(PAYLOAD_HEAD) };
}

export function readHistoryLine(text: string): HistoryLine {
  const bar = text.indexOf("|");
  return { at: Number(text.slice(0, bar)), line: text.slice(bar + 1) };
}

/** How every answer of a group's script begins, and what follows. */
export interface Answer {
  readonly kind: string;
  /** Clock of the group: never goes back. */
  readonly now: number;
  /** Clock of the server, as it is. */
  readonly time: number;
  readonly hw: number;
  readonly generation: number;
  readonly epoch: string;
  readonly loss: number;
  readonly rest: readonly unknown[];
}

export function readAnswer(reply: unknown): Answer {
  const [kind, now, time, hw, generation, epoch, loss, ...rest] = reply as [
    string,
    number,
    number,
    number,
    number,
    string,
    number,
    ...unknown[],
  ];
  return { kind, now, time, hw, generation, epoch, loss, rest };
}

export const textAt = (answer: Answer, index: number): string => answer.rest[index] as string;
export const textOrNullAt = (answer: Answer, index: number): string | null => answer.rest[index] as string | null;
