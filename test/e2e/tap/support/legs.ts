/** A real guard for calls in several rounds, and what it said of each of them. */
import { memoryStore } from "../../../../adapters/stores/memory/index.ts";
import { createGuard, type Guard, type GuardOptions, type Outcome } from "../../../../src/index.ts";
import { SERVER } from "./clients.ts";
import { later } from "./world.ts";

type Tool = NonNullable<NonNullable<GuardOptions["servers"]>[string]["tools"]>[string];

export interface LegsGuard {
  readonly guard: Guard;
  /** In the order in which they were told. */
  readonly outcomes: readonly Outcome[];
}

/** Sweeps only when told to. */
export function openGuard({
  tool = {},
  options = {},
}: {
  tool?: Tool;
  options?: Partial<GuardOptions>;
} = {}): LegsGuard {
  const servers = { [SERVER]: { tools: { create_invoice: tool } } };
  const guard = createGuard({ store: memoryStore(), servers, deadline: "20s", sweepEvery: "1h", ...options });
  const outcomes: Outcome[] = [];
  guard.on("outcome", (outcome) => outcomes.push(outcome));
  later(() => guard.close({ within: 100 }));
  return { guard, outcomes };
}
