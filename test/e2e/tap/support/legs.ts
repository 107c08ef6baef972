/** Real guards for calls in several rounds, and what each said of them. Two hosts of one store are two processes to it. */
import { guardClient } from "../../../../adapters/mcp/index.ts";
import { memoryStore } from "../../../../adapters/stores/memory/index.ts";
import type { HttpFaultServer, Step } from "../../../../adapters/testing/index.ts";
import { type CallContext, createGuard, type Guard, type GuardOptions, type Outcome } from "../../../../src/index.ts";
import { clientV2, SERVER, transportFor } from "./clients.ts";
import { later, order } from "./world.ts";

type Tool = NonNullable<NonNullable<GuardOptions["servers"]>[string]["tools"]>[string];

export interface LegsGuard {
  readonly guard: Guard;
  /** In the order in which they were told. */
  readonly outcomes: readonly Outcome[];
}

interface Means {
  readonly tool?: Tool;
  readonly options?: Partial<GuardOptions>;
}

/** Sweeps only when told to. */
export function openGuard({ tool = {}, options = {} }: Means = {}): LegsGuard {
  const servers = { [SERVER]: { tools: { create_invoice: tool } } };
  const guard = createGuard({ store: memoryStore(), servers, deadline: "20s", sweepEvery: "1h", ...options });
  const outcomes: Outcome[] = [];
  guard.on("outcome", (outcome) => outcomes.push(outcome));
  later(() => guard.close({ within: 100 }));
  return { guard, outcomes };
}

export interface LegsHost extends LegsGuard {
  /** The call, without an answer to anything. */
  ask(context?: CallContext): Promise<Outcome>;
  /** The leg that answers the question with this state. */
  answer(requestState: string, context?: CallContext): Promise<Outcome>;
}

/** A host that gets the questions of its server handed out, and answers them by hand. */
export async function legsHost(server: HttpFaultServer, means: Means = {}): Promise<LegsHost> {
  const opened = openGuard(means);
  const client = guardClient(opened.guard, SERVER, clientV2("v2-2026", undefined, { elicitation: { form: {} } }));
  await client.connect(transportFor("v2-2026", server, {}) as never);
  later(() => client.close().catch(() => {}));
  const call = (more: object, context: CallContext = {}) => {
    const params = { name: "create_invoice", arguments: order, ...more };
    return client.perform(params as never, { ...context, request: { allowInputRequired: true } } as never);
  };
  const inputResponses = { confirm: { action: "accept", content: { ok: true } } };
  return {
    ...opened,
    ask: (context) => call({}, context),
    answer: (requestState, context) => call({ inputResponses, requestState }, context),
  };
}

/** Commits nothing and asks, whatever the call brings. */
export const asks = (requestState: string): Step => ({
  commit: "none",
  reply: { result: { resultType: "input_required", inputRequests: {}, requestState } },
});
