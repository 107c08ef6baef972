/** Whose the reference is that a look found. */
import { dedupKey } from "./core/identity.ts";
import type { Owner } from "./core/looks.ts";
import type { Observation } from "./core/terms.ts";
import type { Operation } from "./operation.ts";
import { newToken, type Runtime } from "./runtime.ts";

export async function ownerOf(runtime: Runtime, operation: Operation, observation: Observation): Promise<Owner> {
  if (observation.kind !== "applied" || observation.ref === undefined) return "this";
  const owner = await claim(runtime, operation, observation.ref);
  if (owner === undefined) return "unknown";
  return owner === operation.id ? "this" : "another";
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
