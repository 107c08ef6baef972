/** Swaps on their way to a script and back. */
import type { SwapReply, SwapRequest } from "../../../src/entries/store.ts";
import { type Answer, listAt, readRecord, writeChange } from "./codec.ts";
import type { Connection } from "./connection.ts";
import { gathering } from "./gathering.ts";
import type { GroupState, Groups } from "./groups.ts";
import { restOf } from "./keys.ts";
import { type ScriptChange, swapScript } from "./scripts.gen.ts";
import { isUnder } from "./sending.ts";

interface Item {
  readonly request: SwapRequest;
  readonly change: ScriptChange;
}

/** The version that no record has. */
const NEVER = -1;

export type Swap = (request: SwapRequest) => Promise<SwapReply>;

export function createSwaps(connection: Connection, groups: Groups): Swap {
  /** Only a swap that goes alone has bounds of its own. */
  const send = (state: GroupState, items: readonly Item[], notAfter: () => number): Promise<Answer> => {
    const [{ request }] = items as [Item];
    return groups.ask(state, (run, { known, minHw, ask }) => {
      const generationOk = request.ifGeneration === undefined || request.ifGeneration === state.marks.generation;
      const lastInstant = request.notAfter ?? -1;
      const changes = items.map((each) =>
        isUnder(state, each.request) ? each.change : { ...each.change, expect: NEVER },
      );
      return swapScript(run, state.keys, {
        known,
        minHw,
        ask,
        notAfter: notAfter(),
        lastInstant,
        generationOk,
        changes,
      });
    });
  };
  const gathered = gathering<Item, SwapReply>(connection, {
    weightOf,
    send,
    replyOf,
    isWritten: ({ kind }) => kind === "swapped",
  });

  return async (request) => {
    const called = performance.now();
    const state = groups.state(request.group);
    const change = writeChange(request.group, request);
    if (!state.clock.known()) await groups.open(state);
    return gathered(state, { request, change }, called, request);
  };
}

function weightOf({ request, change }: Item): number {
  const isBound = request.notAfter !== undefined || request.ifGeneration !== undefined;
  return isBound ? Number.POSITIVE_INFINITY : change.body.length + change.payload.length;
}

function replyOf(state: GroupState, { request }: Item, answer: Answer, index: number): SwapReply | undefined {
  const { now, generation } = answer;
  if (answer.kind === "late") return { kind: "late", now };
  const [kind, ...parts] = listAt(answer, index);
  switch (kind) {
    case "swapped":
      return { kind, version: parts[0] as number, now: parts[1] as number };
    case "stale": {
      const [text, payload] = parts as [string, string | null];
      return { kind, now, record: readRecord(state.group, restOf(request.id), text, payload, answer.loss) };
    }
    case "generation_changed":
      return { kind, now, generation };
    case "gone":
    case "late":
      return { kind, now };
    default:
      return;
  }
}
