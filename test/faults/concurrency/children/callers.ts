/**
 * `callers.ts WORLD CALLERS`: for each line `ORDER` on stdin, calls the same tool with the same arguments CALLERS times at
 * once, and says on stdout `ORDER COUNTS`: how many callers got which answer.
 */
import { createInterface } from "node:readline";
import type { Outcome } from "../../../../src/index.ts";
import { paymentGuard, paymentOf, paymentWire, type World } from "../../kills/payments.ts";

const [world = "", callers = "1"] = process.argv.slice(2);
const { store, destination } = JSON.parse(world) as World;
const guard = paymentGuard({ store, destination }, { repeat: "recall", lease: 30_000 });
const wire = paymentWire(destination);

async function answerOf(order: string): Promise<string> {
  const outcome = await guard.perform(paymentOf(order), wire);
  guard.delivered(outcome);
  if (outcome.kind === "uncertain") return outcome.state === "in_flight" ? "in_flight" : "uncertain";
  if (outcome.kind !== "succeeded") return outcome.kind;
  if (refOf(outcome) !== `payment-of-${order}`) return "another_answer";
  if (outcome.joined) return "joined";
  return outcome.recalled ? "recalled" : "first";
}

function refOf(outcome: Outcome): unknown {
  const answer = "answer" in outcome ? outcome.answer : undefined;
  const content = answer?.kind === "result" ? answer.result.structuredContent : undefined;
  return (content as { readonly ref?: unknown } | undefined)?.ref;
}

async function callAtOnce(order: string): Promise<void> {
  const answers = await Promise.all(Array.from({ length: Number(callers) }, () => answerOf(order)));
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  console.log(`${order} ${JSON.stringify(counts)}`);
}

await guard.queue.list();
createInterface({ input: process.stdin }).on("line", (order) => void callAtOnce(order));
console.log("ready");
