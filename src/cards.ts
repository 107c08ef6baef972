/** What the cited cards do to their contracts: a failed or old one puts its contract out of force. */
import type { Runtime } from "./runtime.ts";
import type { Standing } from "./standing.ts";

const OURS = ["card_failed", "card_stale"];

/** A passed, recent card puts back what an earlier card had suspended: its maker is on record. */
export async function applyCards(runtime: Runtime, standing: Standing): Promise<void> {
  const { settings, clock, store, events } = runtime;
  for (const { server, tool, file, card } of settings.citations) {
    const age = clock.wall() - Date.parse(card.on);
    const reason = card.verdict !== "passed" ? "card_failed" : age > settings.cardFor ? "card_stale" : undefined;
    if (reason) {
      const detail = JSON.stringify({ kind: reason, file, verdict: card.verdict, on: card.on });
      standing.withdraw({ server, tool, reason, actor: "indoubt", detail });
      continue;
    }
    if (!(await standing.look(0)) || !OURS.includes(standing.find(server, tool)?.reason ?? "")) continue;
    await store.lift(server, tool);
    standing.restored(server, tool);
    events.emit("lifted", { server, tool, actor: card.by, reason: `a new card passed on ${card.on}` });
  }
}
