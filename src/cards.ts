/** What the cited cards do to their contracts: a failed or old one puts its contract out of force. */
import { type Citation, cardProblem } from "./card-citations.ts";
import type { Runtime } from "./runtime.ts";
import { liftedByCard, type Standing } from "./standing.ts";

/** @returns whether the card puts its contract out of force, now: it may have grown old since the start */
export function withdrawByCard({ settings, clock }: Runtime, standing: Standing, citation: Citation): boolean {
  const reason = cardProblem(citation, clock.wall(), settings.cardFor);
  if (!reason) return false;
  const { server, tool, file, card } = citation;
  const detail = JSON.stringify({ kind: reason, file, verdict: card.verdict, on: card.on });
  standing.withdraw({ server, tool, reason, actor: "indoubt", detail });
  return true;
}

/** A passed, recent card puts back what an earlier card had suspended: its maker is on record. */
export async function applyCards(runtime: Runtime, standing: Standing): Promise<void> {
  const { settings, events } = runtime;
  // All of the bad ones first, before anything is waited for.
  const bad = settings.citations.filter((citation) => withdrawByCard(runtime, standing, citation));
  for (const { server, tool, card } of settings.citations) {
    if (bad.some((citation) => citation.server === server && citation.tool === tool)) continue;
    if (!(await standing.look(0))) continue;
    const entry = standing.find(server, tool);
    if (!entry || !liftedByCard(entry)) continue;
    if (!(await standing.lift(server, tool, entry))) continue;
    events.emit("lifted", { server, tool, actor: card.by, reason: `a new card passed on ${card.on}` });
  }
}
