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
import type { Operation } from "./operation.ts";
import { openPayload } from "./payload.ts";
import { type CallArguments, type CallOptions, unclear } from "./reconcile-api.ts";
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
  { runtime, links, standing }: LookParts,
  operation: Operation,
  policy: ToolPolicy,
  within: number,
  now: Instant,
  state: { impossibleHere: boolean },
): Promise<Observation> {
  const { group, record } = operation;
  const stop = new AbortController();
  const call = async (tool: string, args: CallArguments = {}, { toolErrors = "throw" }: CallOptions = {}) => {
    const known = runtime.settings.policy(group.server, tool, args);
    if (standing.isSuspended(group.server, tool)) {
      const text = `The read declaration of "${tool}" is suspended: look at guard.suspensions.list(), then review the tool.`;
      throw new IndoubtError("RECONCILE_FAILED", text);
    }
    if (known.effect !== "read") {
      const cure = `declare servers.${group.server}.tools.${tool} as { effect: "read" } if it is one`;
      throw new IndoubtError("RECONCILE_FAILED", `A hook may call declared reads only; "${tool}" is not: ${cure}.`);
    }
    if (!links.any(group.server, record.principal)) state.impossibleHere = true;
    const plain = JSON.parse(JSON.stringify(args)) as JsonObject;
    return links.read(group.server, record.principal, tool, plain, stop.signal, toolErrors);
  };
  const keys = runtime.keys();
  const intent = {
    operation: operation.id,
    key: keyText(policy.contract, dedupKey(keys, operation.id)),
    server: group.server,
    tool: group.tool,
    arguments: openPayload(keys, operation.id, operation.payload)?.arguments ?? {},
    issuedAt: record.issuedAt,
    age: now - record.issuedAt,
    attempts: record.attempts,
  };
  let cancel = () => {};
  const tooLong = new Promise<Observation>((resolve) => {
    cancel = runtime.clock.after(within, () => {
      stop.abort();
      resolve(
        unclear(
          `the hook took longer than ${Math.round(within)} ms (\`within\` of the hook, or what is left of the deadline)`,
        ),
      );
    });
  });
  try {
    const answered = Promise.resolve(policy.look?.(intent, { call, signal: stop.signal }) ?? unclear("no hook"));
    const checked = observationSchema.safeParse(await Promise.race([answered, tooLong]));
    return checked.success ? (checked.data as Observation) : unclear("the hook's answer is malformed");
  } catch (error) {
    return unclear(error instanceof Error ? error.message : String(error));
  } finally {
    cancel();
  }
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
  });
  return operation.id;
}
