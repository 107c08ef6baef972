/**
 * Where the destination collapses repeats by arguments, a repeat sets a resource to what it was asked to be. Once
 * another operation on that resource was sent, the same repeat would undo it: so the last one that was sent is on record.
 */

import { canonicalJson } from "./core/canonical-json.ts";
import { dedupKey } from "./core/identity.ts";
import { readPointer } from "./core/pointer.ts";
import type { Drive } from "./drive-api.ts";
import { IndoubtError } from "./errors.ts";
import type { Operation } from "./operation.ts";
import type { StoredRecord } from "./ports.ts";
import type { Runtime } from "./runtime.ts";
import { newToken } from "./runtime.ts";

type Subject = Pick<Drive, "operation" | "policy" | "arguments">;

/** Lost races in a row before the call fails. */
const MOST_TRIES = 20;

const byArguments = ({ policy }: Subject): boolean => policy.contract?.dedupes === "arguments";

/** Of the tenant and the tool, whoever asks: the resource is the same for every sign-in. */
function recordOf(runtime: Runtime, { operation, policy, arguments: args }: Subject): string {
  const named = (policy.identityArgs ?? []).map((at) => [at, readPointer(args, at) ?? null]);
  const { tag } = operation.group;
  const key = dedupKey(runtime.keys(), `resource ${tag} ${canonicalJson(named)}`);
  return `${tag}_${key.replaceAll("-", "").slice(0, 26)}`;
}

/** Before the first send. @throws IndoubtError STORE_UNAVAILABLE when it cannot be recorded: then nothing may be sent */
export async function noteSend(runtime: Runtime, subject: Subject): Promise<void> {
  if (!byArguments(subject)) return;
  const { operation } = subject;
  const id = recordOf(runtime, subject);
  let seen = await seenOf(runtime, operation, id);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const reply = await runtime.store.swap({
      group: operation.group,
      id,
      expect: seen.version,
      token: newToken(),
      body: "resource",
      payload: operation.id,
      due: null,
      attention: false,
      expireIn: operation.record.limits.retention,
      within: runtime.settings.storeTimeout,
      ...(seen.lossAt !== undefined && { lossAt: seen.lossAt }),
    });
    if (reply.kind === "swapped") return;
    seen = reply.kind === "stale" ? reply.record : await seenOf(runtime, operation, id);
  }
  throw new IndoubtError("STORE_UNAVAILABLE", "Which operation was the last on this resource could not be recorded.");
}

type Seen = Pick<StoredRecord, "version" | "lossAt">;

async function seenOf(runtime: Runtime, operation: Operation, id: string): Promise<Seen> {
  const reply = await runtime.store.begin({
    group: operation.group,
    id,
    digest: "resource-of-tool",
    token: newToken(),
    body: "resource",
    payload: operation.id,
    holds: [],
    blockedBy: [],
    acks: [],
    due: null,
    within: runtime.settings.storeTimeout,
    maxAge: Number.MAX_SAFE_INTEGER,
    adopting: true,
  });
  if (reply.kind === "exists") return reply.record;
  return reply.kind === "created" ? { ...reply, version: 1 } : { version: 0 };
}

/** Whether no other operation on the resource was sent after this one. What is not on record is not known. */
export async function isLastSent(runtime: Runtime, subject: Subject): Promise<boolean> {
  if (!byArguments(subject)) return true;
  const { record } = await runtime.store.read(recordOf(runtime, subject));
  const isSure = record && (record.lossAt === undefined || record.at > record.lossAt);
  return isSure === true && record?.payload === subject.operation.id;
}
