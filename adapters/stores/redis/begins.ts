/** Begins on their way to a script and back. */
import type { BeginReply, BeginRequest, StoredRecord } from "../../../src/entries/store.ts";
import { type Answer, listAt, readRecord, writeChange, writeIntent } from "./codec.ts";
import type { Connection } from "./connection.ts";
import { gathering } from "./gathering.ts";
import type { GroupState, Groups } from "./groups.ts";
import { recordKeys, restOf } from "./keys.ts";
import { beginScript, type ScriptChange, type ScriptIntent } from "./scripts.gen.ts";
import { isUnder } from "./sending.ts";

interface Item {
  readonly request: BeginRequest;
  readonly acks: readonly ScriptChange[];
  readonly intent: ReturnType<typeof writeIntent>;
}

export type Begin = (request: BeginRequest) => Promise<BeginReply>;

const NO_ACKS: readonly ScriptChange[] = [];
const NO_KEYS: readonly string[] = [];

export function createBegins(connection: Connection, groups: Groups): Begin {
  const send = (state: GroupState, items: readonly Item[], notAfter: () => number): Promise<Answer> =>
    groups.ask(state, (run, { known, minHw, ask }) => {
      const intents = items.map((item) => intentUnder(state, item));
      // Only a cluster looks at them.
      const more = ask ? intents.flatMap(({ id }) => Object.values(recordKeys(state.keys, id))) : NO_KEYS;
      return beginScript(run, state.keys, { known, minHw, ask, notAfter: notAfter(), intents }, more);
    });
  const gathered = gathering<Item, BeginReply>(connection, {
    weightOf,
    send,
    replyOf,
    isWritten: ({ kind }) => kind === "created",
  });

  return async (request) => {
    const called = performance.now();
    const { group } = request;
    const state = groups.state(group);
    const acks = request.acks.length === 0 ? NO_ACKS : request.acks.map((ack) => writeChange(group, ack));
    const intent = writeIntent(request);
    if (!state.opened) await groups.open(state);
    return gathered(state, { request, acks, intent }, called, request);
  };
}

const sizeOf = (changes: readonly ScriptChange[]): number =>
  changes.reduce((size, { body, payload }) => size + body.length + payload.length, 0);

const weightOf = ({ intent, acks }: Item): number => intent.tail.length + intent.payload.length + sizeOf(acks);

/** What the script is told, after what the marks tell now. */
function intentUnder(state: GroupState, { request, acks, intent }: Item): ScriptIntent {
  const { issuedAt, maxAge } = request;
  const doubted = issuedAt !== undefined && !request.adopting;
  const lost = doubted && issuedAt <= state.marks.loss;
  const goodUntil = doubted ? issuedAt + maxAge : -1;
  const fitting = acks.length === 0 ? acks : acks.filter((_, index) => isUnder(state, request.acks[index]));
  return Object.assign({ lost, goodUntil, acks: fitting }, intent);
}

function replyOf(state: GroupState, { request }: Item, answer: Answer, index: number): BeginReply | undefined {
  const { now, generation, loss } = answer;
  if (answer.kind === "late") return { kind: "late", now };
  const [kind, ...parts] = listAt(answer, index);
  const recordAt = (id: string, part: number): StoredRecord =>
    readRecord(state.group, id, parts[part] as string, parts[part + 1] as string | null, loss);
  switch (kind) {
    case "created": {
      const reply = { kind, now: parts[0] as number, generation } as const;
      return loss > 0 ? { ...reply, lossAt: loss } : reply;
    }
    case "exists":
      return { kind, now, generation, record: recordAt(restOf(request.id), 0) };
    case "mismatch":
      return { kind, now, record: recordAt(restOf(request.id), 0) };
    case "held":
      return { kind, now, generation, entry: parts[0] as string, record: recordAt(parts[1] as string, 2) };
    case "suspect":
      return { kind, now, because: parts[0] as "store_loss" | "intent_too_old" };
    default:
      return;
  }
}
