/** Asks the destination through the operator's hook, and turns what it says into an event. Never writes there. */
import { z } from "zod";
import type { ToolPolicy } from "./config.ts";
import { keyText } from "./core/contract.ts";
import { dedupKey } from "./core/identity.ts";
import { evolve } from "./core/lifecycle.ts";
import type { EventOf, LifecycleEvent } from "./core/lifecycle-events.ts";
import { GUARDS } from "./core/lifecycle-guards.ts";
import type { Instant, JsonObject, Observation } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { Parts } from "./guard-parts.ts";
import type { PreparedCall } from "./intake.ts";
import { readAttempt, resultOf } from "./links.ts";
import type { Operation } from "./operation.ts";
import { openPayload, sealPayload } from "./payload.ts";
import type { Wire } from "./ports.ts";
import {
  type Baseline,
  type BaselineHook,
  type CallArguments,
  type CallOptions,
  type Intent,
  type LookTools,
  unclear,
} from "./reconcile-api.ts";
import type { Runtime } from "./runtime.ts";
import { newToken } from "./runtime.ts";

export interface Looked {
  readonly observation: Observation;
  /** The store's clock before the read began. */
  readonly readAt: Instant;
  /** The hook needed a connection that this process does not have: no look took place. */
  readonly impossibleHere: boolean;
}

const observationSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("applied"),
    ref: z.string().min(1).max(256).optional(),
    result: z.record(z.string(), z.json()).optional(),
    count: z.number().int().min(1).optional(),
    attributed: z.boolean().optional(),
  }),
  z.object({ kind: z.literal("absent") }),
  z.object({
    kind: z.literal("partial"),
    items: z
      .array(
        z.object({ item: z.string(), verdict: z.enum(["applied", "absent", "unclear"]), ref: z.string().optional() }),
      )
      .min(1),
  }),
  z.object({ kind: z.literal("unclear"), reason: z.string() }),
]);

type LookParts = Pick<Parts, "runtime" | "ledger" | "links" | "standing" | "drift">;

/** @param within time limit in ms; what takes longer is unclear. */
export async function look(
  parts: LookParts,
  operation: Operation,
  policy: ToolPolicy,
  within: number,
): Promise<Looked> {
  const { runtime, ledger } = parts;
  const fresh = await ledger.load(operation.id);
  if (fresh.operation) Object.assign(operation, { ...fresh.operation, queue: operation.queue });
  const readAt = fresh.now;
  const state = { impossibleHere: false };
  const observation = await ask(parts, operation, policy, Math.min(within, policy.lookWithin), readAt, state);
  runtime.events.emit("observed", {
    operation: operation.id,
    observation: observation.kind,
    ...(observation.kind === "unclear" && { reason: observation.reason }),
  });
  if (observation.kind === "applied" && observation.attributed !== false) {
    const { server, tool } = operation.group;
    const seen = { effects: observation.count ?? 1, sends: operation.record.attempts };
    parts.drift.observed({ server, tool, operation: operation.id }, seen);
  }
  return { observation, readAt, impossibleHere: state.impossibleHere };
}

async function ask(
  parts: LookParts,
  operation: Operation,
  policy: ToolPolicy,
  within: number,
  now: Instant,
  state: { impossibleHere: boolean },
): Promise<Observation> {
  const { look: hook } = policy;
  if (!hook) return unclear("no hook");
  try {
    const answered = await inTime(parts, within, async (signal) => {
      const call = readerOf(parts, operation, signal, { state });
      return hook(intentOf(parts.runtime, operation, policy, now), {
        call,
        signal,
        baseline: baselineOf(parts, operation),
      });
    });
    const checked = observationSchema.safeParse(answered);
    return checked.success ? (checked.data as Observation) : unclear("the hook's answer is malformed");
  } catch (error) {
    return unclear(error instanceof Error ? error.message : String(error));
  }
}

/** The look of a call that was not made: what it would ask, and how to ask it. Writes nothing. */
export async function lookFor(
  parts: LookParts,
  { id, group, policy, arguments: args, digest, principal }: PreparedCall,
): Promise<{ readonly intent: Intent; readonly look: () => Promise<Observation> }> {
  const { runtime } = parts;
  const now = runtime.storeNow();
  const record = { issuedAt: now, attempts: 1, ...(principal !== undefined && { principal }) };
  const payload = sealPayload(runtime.keys(), id, { arguments: args });
  const operation = {
    id,
    group,
    digest,
    version: 1,
    record,
    payload,
    lossAt: undefined,
    written: undefined,
    askedAt: undefined,
    queue: Promise.resolve(),
  } as unknown as Operation;
  const state = { impossibleHere: false };
  return {
    intent: intentOf(runtime, operation, policy, now),
    look: () => ask(parts, operation, policy, policy.lookWithin, now, state),
  };
}

/** What is there before the first send, as the operator's rule reads it. Rejects when it could not be read. */
export async function readBefore(
  parts: LookParts,
  operation: Operation,
  policy: ToolPolicy,
  before: BaselineHook,
  wire: Wire,
  within: number,
): Promise<Baseline> {
  const read = await inTime(parts, within, async (signal) => {
    const call = readerOf(parts, operation, signal, { wire });
    return before(intentOf(parts.runtime, operation, policy, parts.runtime.storeNow()), { call, signal });
  });
  return baselineSchema.parse(read) as Baseline;
}

const baselineSchema = z.object({ count: z.number().int().min(0).optional(), watermark: z.json().optional() });

/** Ends when `work` does, or with an error after `within` ms. */
async function inTime<T>(
  { runtime }: LookParts,
  within: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  let cancel = () => {};
  const tooLong = new Promise<T>((_resolve, reject) => {
    cancel = runtime.clock.after(within, () => {
      stop.abort();
      const what = `the hook took longer than ${Math.round(within)} ms`;
      reject(new Error(`${what} (\`within\` of the hook, or what is left of the deadline)`));
    });
  });
  try {
    return await Promise.race([work(stop.signal), tooLong]);
  } finally {
    cancel();
  }
}

const baselineOf = ({ runtime }: LookParts, { id, payload }: Operation): Baseline | undefined =>
  openPayload(runtime.keys(), id, payload)?.baseline;

function intentOf(runtime: Runtime, operation: Operation, policy: ToolPolicy, now: Instant): Intent {
  const { id, group, record, payload } = operation;
  const keys = runtime.keys();
  return {
    operation: id,
    key: keyText(policy.contract, dedupKey(keys, id)),
    server: group.server,
    tool: group.tool,
    arguments: openPayload(keys, id, payload)?.arguments ?? {},
    issuedAt: record.issuedAt,
    age: now - record.issuedAt,
    attempts: record.attempts,
  };
}

/** Reads of the same server that the operator declared and nothing has suspended; anything else is refused. */
function readerOf(
  { runtime, links, standing }: LookParts,
  { group, record }: Operation,
  signal: AbortSignal,
  { state, wire }: { readonly state?: { impossibleHere: boolean }; readonly wire?: Wire },
): LookTools["call"] {
  return async (tool: string, args: CallArguments = {}, { toolErrors = "throw" }: CallOptions = {}) => {
    if (standing.isSuspended(group.server, tool)) {
      const text = `The read declaration of "${tool}" is suspended: look at guard.suspensions.list(), then review the tool.`;
      throw new IndoubtError("RECONCILE_FAILED", text);
    }
    if (runtime.settings.policy(group.server, tool, args).effect !== "read") {
      const cure = `declare servers.${group.server}.tools.${tool} as { effect: "read" } if it is one`;
      throw new IndoubtError("RECONCILE_FAILED", `A hook may call declared reads only; "${tool}" is not: ${cure}.`);
    }
    if (state && !links.any(group.server, record.principal)) state.impossibleHere = true;
    const plain = JSON.parse(JSON.stringify(args)) as JsonObject;
    if (wire) return resultOf(await wire.send(readAttempt(tool, plain, signal)), tool, toolErrors);
    return links.read(group.server, record.principal, tool, plain, signal, toolErrors);
  };
}

/**
 * What an observation does to a record in doubt; undefined: it changes nothing (an early absence is no observation).
 * One destination reference settles one operation: a second claim is unclear.
 */
export async function eventOf(
  runtime: Runtime,
  operation: Operation,
  looked: Looked,
): Promise<LifecycleEvent | undefined> {
  const { observation, readAt } = looked;
  switch (observation.kind) {
    case "applied": {
      const { ref, attributed = true, count = 1 } = observation;
      const owner = ref === undefined ? operation.id : await claim(runtime, operation, ref);
      if (owner !== operation.id)
        return probeFail(operation, owner === undefined ? "probe_unclear" : "reference_claimed_twice");
      return { type: "present", attributed, count, ...(ref !== undefined && { ref }) };
    }
    case "partial": {
      const tooEarly =
        observation.items.some(({ verdict }) => verdict === "absent") && !absenceCounts(operation, readAt);
      return tooEarly ? undefined : { type: "partial", items: observation.items };
    }
    case "absent": {
      const event = { type: "absent", readAt } as const;
      return evolve(operation.record, event, readAt).kind === "moved" ? event : undefined;
    }
    case "unclear":
      return probeFail(operation, "probe_unclear");
  }
}

/** An item that is missing is an absence like any other: before quiescence and staleness it may still land. */
const absenceCounts = ({ record }: Operation, readAt: Instant): boolean =>
  GUARDS.absence_counts(record, { type: "absent", readAt });

export function probeFail(operation: Operation, reason: string): EventOf<"probe_fail"> {
  const probes = operation.record.probes ?? 0;
  return { type: "probe_fail", reason, retryIn: Math.min(1_000 * 2 ** probes, 300_000) };
}

/**
 * A claim is a small record of its own: the first operation to name the reference keeps it.
 * @returns the operation that has it; undefined: the store could not say in time
 */
export async function claim(runtime: Runtime, operation: Operation, ref: string): Promise<string | undefined> {
  const { group } = operation;
  const keys = runtime.keys();
  const id = `${group.tag}_${dedupKey(keys, `ref ${group.tag} ${ref}`).replaceAll("-", "").slice(0, 26)}`;
  const within = runtime.settings.storeTimeout;
  const reply = await runtime.store.begin({
    group,
    id,
    digest: operation.id.slice(-16),
    token: newToken(),
    body: "claim",
    payload: operation.id,
    holds: [],
    blockedBy: [],
    acks: [],
    due: null,
    within,
    maxAge: Number.MAX_SAFE_INTEGER,
    adopting: true,
  });
  if (reply.kind === "exists") return operation.id;
  if (reply.kind === "mismatch") return reply.record.payload ?? "another operation";
  if (reply.kind !== "created") return undefined;
  const { retention } = operation.record.limits;
  await runtime.store.swap({
    group,
    id,
    expect: 1,
    token: newToken(),
    body: "claim",
    due: null,
    attention: false,
    expireIn: retention,
    within,
    ...(reply.lossAt !== undefined && { lossAt: reply.lossAt }),
  });
  return operation.id;
}
