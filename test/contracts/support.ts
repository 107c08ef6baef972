/** A guard with a scripted wire, for what contracts, baselines and hints decide. Counts what was handed over. */
import { onTestFinished } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { LiveDefinition } from "../../src/core/baseline.ts";
import type { Store } from "../../src/entries/store.ts";
import type { Attempt, ToolDefinition, Wire, WireEvidence } from "../../src/entries/wire.ts";
import {
  type Contract,
  type ContractInput,
  contract,
  createGuard,
  type Guard,
  type GuardEvents,
  type GuardOptions,
  type JsonObject,
  toolFingerprint,
} from "../../src/index.ts";
import { type CatalogueReview, type Lock, reviewedLock } from "../../src/lock.ts";
import { clockOf, type VirtualTime, virtualTime } from "../model/virtual-time.ts";

export const SERVER = "billing";
export const SECRET = "a secret of the contract tests";

export const invoice: ToolDefinition = {
  name: "create_invoice",
  description: "Creates an invoice.",
  inputSchema: {
    type: "object",
    properties: {
      order: { type: "string" },
      mode: { type: "string" },
      amount: { type: "number" },
      idempotency_key: { type: "string" },
    },
    required: ["order"],
  },
};
export const finder: ToolDefinition = {
  name: "find_invoice",
  inputSchema: { type: "object", properties: { order: { type: "string" } } },
  annotations: { readOnlyHint: true },
};

export const terms = (more: Partial<ContractInput> = {}): ContractInput => ({
  dedupes: "key",
  key: { argument: "/idempotency_key" },
  window: "24h",
  concurrent: "rejected",
  mismatch: "rejected",
  replaysErrors: false,
  scope: { caller: "acme", downstream: "included" },
  review: { source: "https://billing.example/docs", by: "ann", on: "2026-11-30" },
  ...more,
});
export const pinned = (definition: ToolDefinition = invoice, more: Partial<ContractInput> = {}): Contract =>
  contract(terms({ pin: { tool: toolFingerprint(definition) }, ...more }));

export const URL_IDENTITY = { url: "https://billing.example/mcp" } as const;
export const reviewOf = (tools: readonly LiveDefinition[], more: Partial<CatalogueReview> = {}): CatalogueReview => ({
  server: SERVER,
  identity: URL_IDENTITY,
  tools,
  by: "ann",
  on: "2026-11-30",
  ...more,
});
export const lockOf = (tools: readonly LiveDefinition[], more: Partial<CatalogueReview> = {}): Lock =>
  reviewedLock(undefined, reviewOf(tools, more));

export const LOST: WireEvidence = { kind: "silence", cause: "connection_reset" };
export const OK: WireEvidence = { kind: "result", result: { content: [], structuredContent: { id: "inv_1" } } };

export interface Scripted extends Wire {
  readonly sent: Attempt[];
  readonly tools: string[];
}

/** Answers in turn; the last one for ever. */
export function wireOf(...answers: readonly (WireEvidence | ((attempt: Attempt) => WireEvidence))[]): Scripted {
  const sent: Attempt[] = [];
  const turns = new Map<string, number>();
  return {
    headers: true,
    sent,
    tools: [],
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      sent.push(attempt);
      const turn = turns.get(attempt.tool) ?? 0;
      turns.set(attempt.tool, turn + 1);
      const answer = answers[Math.min(turn, answers.length - 1)] ?? OK;
      return typeof answer === "function" ? answer(attempt) : answer;
    },
  };
}

export const sends = (wire: Scripted, tool = "create_invoice"): number =>
  wire.sent.filter((attempt) => attempt.tool === tool).length;

type Tools = NonNullable<NonNullable<NonNullable<GuardOptions["servers"]>[string]>["tools"]>;

export interface GuardSetup extends Omit<GuardOptions, "store" | "servers"> {
  readonly store?: Store;
  readonly tools?: Tools;
  readonly server?: Omit<NonNullable<GuardOptions["servers"]>[string], "tools">;
}

export interface Heard {
  readonly guard: Guard;
  readonly events: { readonly [K in keyof GuardEvents]: GuardEvents[K][] };
}

export function guardOf({ store = memoryStore(), tools = {}, server = {}, ...more }: GuardSetup = {}): Heard {
  const guard = createGuard({
    store,
    secret: SECRET,
    sweepEvery: "1h",
    deadline: "2s",
    ...more,
    servers: { [SERVER]: { ...server, tools } },
  });
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  const names = ["drift", "contradiction", "suspended", "lifted", "warning", "transition"] as const;
  const events = Object.fromEntries(names.map((name) => [name, [] as unknown[]]));
  for (const name of names) guard.on(name, (detail) => void events[name]?.push(detail));
  return { guard, events: events as never };
}

export const callOf = (args: JsonObject = { order: "o-1" }, tool = "create_invoice") => ({
  server: SERVER,
  tool,
  arguments: args,
});

/** A guard on a clock of its own: what waits an hour takes no time. */
export function timeless(
  setup: GuardSetup = {},
): Heard & { readonly time: VirtualTime; run<T>(work: Promise<T>): Promise<T> } {
  const time = virtualTime();
  const clock = clockOf(time, { alive: true, wallOffset: 0 });
  const heard = guardOf({ store: memoryStore({ now: time.now }), clock, ...setup });
  return {
    ...heard,
    time,
    async run(work) {
      let over = false;
      const done = work.finally(() => {
        over = true;
      });
      done.catch(() => {});
      for (let step = 0; !over && step < 1_000; step += 1) await time.advance(100);
      return done;
    },
  };
}

/** Lets what was started in the background come to its end. */
export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
