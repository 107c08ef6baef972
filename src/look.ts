/** Asks the destination through the operator's hook. Never writes there. */
import { z } from "zod";
import type { ToolPolicy } from "./config.ts";
import { keyText } from "./core/contract.ts";
import { dedupKey } from "./core/identity.ts";
import type { Instant, JsonObject, Observation } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { Parts } from "./guard-parts.ts";
import type { PreparedCall } from "./intake.ts";
import { readAttempt, resultOf } from "./links.ts";
import { watchMasked } from "./masked.ts";
import type { Operation } from "./operation.ts";
import { openPayload, sealPayload } from "./payload.ts";
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
import type { Wire } from "./wire.ts";

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
    const intent = intentOf(parts.runtime, operation, policy, now);
    const kept = watchMasked(intent.arguments);
    const answered = await inTime(parts, within, async (signal) => {
      const call = readerOf(parts, operation, signal, { state });
      const baseline = baselineOf(parts, operation);
      return hook({ ...intent, arguments: kept.arguments }, { call, signal, baseline });
    });
    const checked = observationSchema.safeParse(answered);
    return checked.success ? kept.judged(checked.data as Observation) : unclear("the hook's answer is malformed");
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
