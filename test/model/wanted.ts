/**
 * How many effects are wanted. A caller wants one effect for an item; asking again before a definite outcome was heard
 * is the same wish, asking again afterwards is another one; what counts is when the call reaches the store. An explicit operation id is always a wish of its own, beside
 * the calls without one.
 */
import type { CallContext, Outcome } from "../../src/index.ts";
import type { World } from "./world.ts";

export interface Asked {
  readonly wanted: Map<string, number>;
  /** Operation ids that were asked for. */
  readonly named: Set<string>;
  /** Items that were asked for without an operation id. */
  readonly unnamed: Set<string>;
  /** Definite outcomes that calls without an operation id heard, by operation: each lets one more wish begin. */
  readonly heard: Set<string>;
  readonly credits: Map<string, number>;
  readonly calls: Asking[];
  /** Questions that callers heard. */
  readonly questions: Question[];
}

interface Question {
  readonly call: Asking;
  readonly operation: string;
  readonly state: string;
}

interface Asking {
  readonly item: string;
  readonly note: number;
  readonly context: CallContext;
  /** The call has a record of its own; one that was answered from another call's record has none. */
  own: boolean;
}

export const nothingAsked = (): Asked => ({
  wanted: new Map(),
  named: new Set(),
  unnamed: new Set(),
  heard: new Set(),
  credits: new Map(),
  calls: [],
  questions: [],
});

export interface CallWish {
  readonly process: number;
  readonly item: string;
  readonly note: number;
  readonly rank: 1 | 2 | 3;
  readonly again: number;
  readonly listens: boolean;
}

const DEFINITE: readonly Outcome["kind"][] = ["succeeded", "failed", "applied", "abandoned", "partial"];
const add = (counts: Map<string, number>, item: string, by: number) => counts.set(item, (counts.get(item) ?? 0) + by);

/** Makes the call without waiting for it. */
export function issue(world: World, asked: Asked, wish: CallWish): void {
  const earlier = wish.again > 0 ? asked.calls.at(-wish.again) : undefined;
  const { item, note } = earlier ?? wish;
  const context = earlier?.context ?? contextOf(world, wish, asked.calls.length);
  const call: Asking = { item, note, context, own: false };
  const sameWish = earlier?.own === true;
  world.call({
    process: alive(world, wish.process),
    item,
    note,
    context,
    listens: wish.listens,
    onIssue: () => asked.calls.push(call),
    onBegun() {
      if (context.operationId !== undefined) {
        if (!asked.named.has(context.operationId)) add(asked.wanted, item, 1);
        asked.named.add(context.operationId);
        return;
      }
      if (sameWish) return;
      const another = (asked.credits.get(item) ?? 0) > 0;
      if (another) add(asked.credits, item, -1);
      if (another || !asked.unnamed.has(item)) add(asked.wanted, item, 1);
      asked.unnamed.add(item);
    },
    onHeard(outcome) {
      const identified = context.operationId !== undefined || context.toolCallId !== undefined;
      call.own = identified && outcome.operation !== "" && outcome.heldBy === undefined;
      hear(asked, call, outcome, outcome.operation);
    },
  });
}

export interface AnswerWish {
  readonly process: number;
  /** Which question: 0 is the newest. */
  readonly pick: number;
  /** With the identity of the call that was asked. */
  readonly named: boolean;
  readonly listens: boolean;
}

/** Answers a question that a caller heard, whether or not it was answered before. That is no wish of its own. */
export function answer(world: World, asked: Asked, wish: AnswerWish): void {
  const question = asked.questions.at(-1 - wish.pick);
  if (!question) return;
  const { call, operation, state } = question;
  world.call({
    process: alive(world, wish.process),
    item: call.item,
    note: call.note,
    context: wish.named ? call.context : {},
    state,
    listens: wish.listens,
    onHeard: (outcome) => hear(asked, call, outcome, operation),
  });
}

function hear(asked: Asked, call: Asking, outcome: Outcome, operation: string): void {
  const state = questionIn(outcome);
  if (state !== undefined) asked.questions.push({ call, operation, state });
  if (call.context.operationId !== undefined || !DEFINITE.includes(outcome.kind) || asked.heard.has(operation)) return;
  asked.heard.add(operation);
  add(asked.credits, call.item, 1);
}

function questionIn(outcome: Outcome): string | undefined {
  const told = outcome.kind === "uncertain" && outcome.answer?.kind === "result" ? outcome.answer.result : {};
  return told.resultType === "input_required" ? String(told.requestState) : undefined;
}

/** A process that lives, if there is one: callers go where somebody answers. */
export function alive(world: World, pick: number): number {
  const living = [...world.processes.keys()].filter((index) => world.processes[index]?.alive());
  return living[pick % Math.max(1, living.length)] ?? 0;
}

function contextOf(world: World, wish: CallWish, count: number): CallContext {
  if (wish.rank === 1) return { operationId: uuidv7(world.time.now(), count) };
  if (wish.rank === 2) return { runId: "run", turnId: "turn", toolCallId: `call-${count}` };
  return {};
}

export function uuidv7(ms: number, count: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${count.toString(16).padStart(12, "0")}`;
}

/** More effects of an item than were wanted. */
export function surplus(world: World, asked: Asked): string[] {
  const effects = new Map<string, number>();
  for (const effect of world.destination.effects) add(effects, effect.item, 1);
  return [...effects].flatMap(([item, count]) => {
    const wanted = asked.wanted.get(item) ?? 0;
    return count > wanted ? [`DUPLICATE: ${count} effects of ${item}, ${wanted} wanted`] : [];
  });
}
