/** What a look at the destination means for the record: its event, and whose the reference is that it found. */
import { dedupKey } from "./core/identity.ts";
import { evolve } from "./core/lifecycle.ts";
import type { EventOf, LifecycleEvent } from "./core/lifecycle-events.ts";
import { GUARDS } from "./core/lifecycle-guards.ts";
import type { Instant } from "./core/terms.ts";
import type { Looked } from "./look.ts";
import type { Operation } from "./operation.ts";
import { newToken, type Runtime } from "./runtime.ts";

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
