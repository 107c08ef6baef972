/**
 * Swaps on their way: those of one group and one turn of the event loop go in one script, each judged for itself. A script
 * for each would cost both sides more than its work.
 */
import type { SwapReply, SwapRequest } from "../../../src/entries/store.ts";
import { type Answer, readRecord, textAt, textOrNullAt, writeChange } from "./codec.ts";
import type { Connection } from "./connection.ts";
import { isAnswered } from "./failures.ts";
import type { GroupState, Groups } from "./groups.ts";
import { restOf } from "./keys.ts";
import { type ScriptChange, swapScript } from "./scripts.gen.ts";
import { inTime, isUnder, replicated } from "./sending.ts";

interface Waiting {
  readonly request: SwapRequest;
  readonly change: ScriptChange;
  readonly called: number;
  resolve(reply: SwapReply): void;
  reject(error: unknown): void;
}

/** Calls are not kept waiting behind a script longer than this. */
const MOST = 32;
/** In characters of bodies and payloads. */
const HEAVY = 64 * 1024;
/** The version that no record has. */
const NEVER = -1;
/** Parts of an answer for each change. */
const PARTS = 3;

export type Swap = (request: SwapRequest) => Promise<SwapReply>;

export function createSwaps(connection: Connection, groups: Groups): Swap {
  const gathered = new Map<GroupState, Waiting[]>();

  function add(state: GroupState, waiting: Waiting): void {
    const others = gathered.get(state);
    if (others) {
      others.push(waiting);
      return;
    }
    gathered.set(state, [waiting]);
    process.nextTick(leave, state);
  }

  function leave(state: GroupState): void {
    const all = gathered.get(state) ?? [];
    gathered.delete(state);
    for (const batch of batchesOf(all)) send(state, batch);
  }

  async function send(state: GroupState, batch: readonly Waiting[]): Promise<void> {
    try {
      const answer = await ask(state, batch);
      if (answer.kind === "late" && batch.length > 1) return alone(state, batch);
      const replies = batch.map((waiting, index) => replyOf(state, waiting, answer, PARTS * index));
      if (replies.some(({ kind }) => kind === "swapped")) await replicated(connection);
      for (const [index, { resolve }] of batch.entries()) resolve(replies[index] as SwapReply);
    } catch (error) {
      // One record that the script cannot handle is no reason to keep the others from being written.
      if (batch.length > 1 && isAnswered(error)) return alone(state, batch);
      for (const { reject } of batch) reject(error);
    }
  }

  /** Each by itself: what a script before has written of it is recognised by its token. */
  function alone(state: GroupState, batch: readonly Waiting[]): void {
    for (const waiting of batch) send(state, [waiting]);
  }

  /** Only a swap that goes alone has bounds of its own. */
  const ask = (state: GroupState, batch: readonly Waiting[]): Promise<Answer> => {
    const [{ called, request }] = batch as [Waiting];
    const within = Math.min(...batch.map((each) => each.request.within));
    return inTime(state, called, within, (notAfter) =>
      groups.ask(state, (run, { known, minHw, ask }) => {
        const generationOk = request.ifGeneration === undefined || request.ifGeneration === state.marks.generation;
        const lastInstant = request.notAfter ?? -1;
        const changes = batch.map((each) =>
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
      }),
    );
  };

  return async (request) => {
    const called = performance.now();
    const state = groups.state(request.group);
    const change = writeChange(request.group, request);
    if (!state.clock.known()) await groups.open(state);
    return new Promise<SwapReply>((resolve, reject) => add(state, { request, change, called, resolve, reject }));
  };
}

function batchesOf(all: readonly Waiting[]): Waiting[][] {
  const batches: Waiting[][] = [];
  let open: Waiting[] | undefined;
  let weight = 0;
  for (const waiting of all) {
    const { request, change } = waiting;
    const size = change.body.length + change.payload.length;
    const isBound = request.notAfter !== undefined || request.ifGeneration !== undefined;
    if (isBound) {
      batches.push([waiting]);
      continue;
    }
    if (open === undefined || open.length === MOST || weight + size > HEAVY) {
      open = [];
      weight = 0;
      batches.push(open);
    }
    open.push(waiting);
    weight += size;
  }
  return batches;
}

function replyOf(state: GroupState, { request }: Waiting, answer: Answer, index: number): SwapReply {
  const { now, generation } = answer;
  if (answer.kind === "late") return { kind: "late", now };
  const kind = textAt(answer, index);
  switch (kind) {
    case "swapped":
      return { kind, now: Number(textAt(answer, index + 2)), version: Number(textAt(answer, index + 1)) };
    case "stale": {
      const [text, payload] = [textAt(answer, index + 1), textOrNullAt(answer, index + 2)];
      return { kind, now, record: readRecord(state.group, restOf(request.id), text, payload, answer.loss) };
    }
    case "generation_changed":
      return { kind, now, generation };
    default:
      return { kind: kind as "gone" | "late", now };
  }
}
