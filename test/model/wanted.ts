/**
 * How many effects are wanted. A caller wants one effect for an item; asking again before it has heard a definite outcome
 * is the same wish, asking again afterwards is another one. An explicit operation id is always a wish of its own.
 */
import type { CallContext, Outcome } from "../../src/index.ts";
import type { World } from "./world.ts";

export interface Asked {
  readonly wanted: Map<string, number>;
  /** Definite outcomes that were heard, by operation: each lets one more wish begin. */
  readonly heard: Set<string>;
  readonly credits: Map<string, number>;
  readonly calls: { readonly item: string; readonly note: number; readonly context: CallContext }[];
}

export const nothingAsked = (): Asked => ({ wanted: new Map(), heard: new Set(), credits: new Map(), calls: [] });

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
  const fresh = { item: wish.item, note: wish.note, context: contextOf(world, wish, asked.calls.length) };
  const { item, note, context } = earlier ?? fresh;
  const sameWish = earlier !== undefined && (context.operationId !== undefined || context.toolCallId !== undefined);
  world.call({
    process: wish.process,
    item,
    note,
    context,
    listens: wish.listens,
    onIssue() {
      asked.calls.push({ item, note, context });
      if (sameWish) return;
      const credits = asked.credits.get(item) ?? 0;
      if (context.operationId !== undefined || !asked.wanted.has(item)) add(asked.wanted, item, 1);
      else if (credits > 0) {
        add(asked.credits, item, -1);
        add(asked.wanted, item, 1);
      }
    },
    onHeard(outcome) {
      if (!DEFINITE.includes(outcome.kind) || asked.heard.has(outcome.operation)) return;
      asked.heard.add(outcome.operation);
      add(asked.credits, item, 1);
    },
  });
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
