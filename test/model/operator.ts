/** An operator who looks before deciding and tells the truth (A6). */

import type { QueueDetail } from "../../src/entries/queue.ts";
import { isIndoubtError } from "../../src/index.ts";
import type { World } from "./world.ts";

/** What the operator has in front of them: from the last look, perhaps overtaken. */
export interface Seen {
  current?: {
    readonly item: QueueDetail;
    readonly effects: number;
    readonly quiet: boolean;
    readonly nothingUnderWay: boolean;
  };
}

const isOverload = (error: unknown) =>
  isIndoubtError(error) && ["RESOLUTION_CONFLICT", "STORE_UNAVAILABLE"].includes(error.code);
/** Somebody was faster, or the store is away: that is an answer for an operator, not a failure of the run. */
const tolerate = (error: unknown) => {
  if (!isOverload(error)) throw error;
};

export async function lookAtQueue(world: World, seen: Seen, pick: number): Promise<void> {
  const { queue } = world.desk.guard;
  const look = async () => {
    const { items } = await queue.list({ index: "open" });
    const waiting = [...items, ...(await queue.list()).items].filter(
      ({ state }) => state === "uncertain" || state === "unresolved",
    );
    const chosen = waiting[pick % Math.max(1, waiting.length)];
    if (!chosen) return;
    const item = await queue.show(chosen.id);
    const now = item.issuedAt + item.ageMs;
    seen.current = {
      item,
      effects: world.destination.effectsOf(item.id),
      quiet: now >= (item.quiesceAt ?? 0),
      nothingUnderWay: world.destination.underWay(item.id) === 0,
    };
    world.tell(`operator: sees ${item.id} v${item.version} ${item.state}, ${seen.current.effects} effects`);
  };
  await look().catch(tolerate);
}

export async function decide(
  world: World,
  seen: Seen,
  plan: { readonly resend: boolean; readonly abandon: boolean; readonly override: boolean },
): Promise<void> {
  if (!seen.current) return;
  const { item, effects, quiet, nothingUnderWay } = seen.current;
  delete seen.current;
  const verdict = plan.abandon ? "abandon" : effects > 0 ? "applied" : plan.resend ? "resend" : "not_applied";
  const mayBeSaid = verdict === "abandon" || verdict === "applied" || quiet || (plan.override && nothingUnderWay);
  if (!mayBeSaid) return;
  world.tell(`operator: decides ${verdict} on ${item.id} v${item.version}`);
  await world.desk.guard.queue
    .resolve(item.id, { verdict, version: item.version, actor: "Ada", reason: "I looked", override: plan.override })
    .then(() => {}, tolerate);
}
