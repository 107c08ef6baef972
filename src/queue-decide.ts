/** Decisions of people: checked, made once, on the record in the same write as what they change. */
import { createHash } from "node:crypto";
import { claim } from "./claims.ts";
import { evolve } from "./core/lifecycle.ts";
import type { LifecycleEvent } from "./core/lifecycle-events.ts";
import { redact } from "./core/redaction.ts";
import { isSettled, type JsonObject, SETTLED_STATES } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { Parts } from "./guard-parts.ts";
import type { MoveOptions, Operation } from "./operation.ts";
import { openPayload } from "./payload.ts";
import type { AuditLine, Correction, Resolution } from "./queue-api.ts";
import { auditOf } from "./queue-detail.ts";
import { whyNot } from "./queue-sentences.ts";

type Decision = Omit<Resolution, "verdict">;

/** About what was asked of the queue, not about the configuration. */
export const invalid = (message: string): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", message, { details: { path: "queue" } });

/** What somebody typed as an id may be anything. */
export function noSuchOperation(id: string): IndoubtError {
  const named = /^[\w-]{1,80}$/.test(id) ? id : JSON.stringify(String(id).slice(0, 80));
  return conflict(id, `There is no operation ${named}: check the id, or it has expired.`, {});
}

const conflict = (id: string, message: string, details: Readonly<Record<string, unknown>>): IndoubtError =>
  new IndoubtError("RESOLUTION_CONFLICT", message, { effect: "possible", details: { id, ...details } });

export function resolveOne(parts: Parts, operation: Operation, resolution: Resolution): Promise<void> {
  const event = eventOf(resolution);
  if (resolution.result !== undefined && resolution.verdict !== "applied")
    throw invalid("result: only a verdict `applied` has one. Leave it out, or write it into the reason.");
  return decide(parts, operation, event, resolution);
}

export function correctOne(parts: Parts, operation: Operation, { to, ...by }: Correction): Promise<void> {
  if (!isSettled(to)) throw invalid(`to: "${String(to)}" is no settled state: ${SETTLED_STATES.join(", ")}.`);
  if (by.result !== undefined && !["succeeded", "applied", "partial"].includes(to))
    throw invalid(`result: an operation that is ${to} has none. Leave it out, or write it into the reason.`);
  return decide(parts, operation, { type: "correct", to, ...(by.ref !== undefined && { ref: by.ref }) }, by);
}

/** Resolves when the decision is on record: made now, or made before under the same decision id. */
async function decide(parts: Parts, operation: Operation, event: LifecycleEvent, by: Decision): Promise<void> {
  checkDecision(by);
  const kept = by.result === undefined ? {} : evidenceOf(parts, operation, by.result);
  if (by.decision !== undefined && (await wasDecided(parts, operation, event, by.decision))) return;
  await claimReference(parts, operation, event, by);
  const note = {
    actor: by.actor,
    reason: by.reason,
    ...(by.ref !== undefined && { ref: by.ref }),
    ...(by.result !== undefined && { result: "kept" }),
    ...(by.override && { override: true }),
    ...(by.decision !== undefined && { decision: by.decision }),
  };
  const moved = await parts.ledger.move(operation, event, {
    ...kept,
    note,
    expect: by.version,
    ...(by.decision !== undefined && { token: decisionToken(by.decision) }),
  });
  if (moved.kind === "moved") return;
  const why = moved.kind === "refused" ? whyNot(operation, moved.why, parts.runtime.storeNow()) : "It is gone.";
  throw await meanwhile(parts, operation, by, why);
}

/** Tells what happened after the version that the person looked at. */
async function meanwhile(
  parts: Parts,
  { id, version, record }: Operation,
  by: Decision,
  why: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<IndoubtError> {
  const lines = await auditOf(parts, id).catch((): AuditLine[] => []);
  const since = lines.filter(({ v }) => typeof v === "number" && v > by.version);
  return conflict(id, why, { version, state: record.state, since, ...more });
}

/** The operator's value is evidence: redacted and sealed like the rest, and marked as what it is. */
function evidenceOf(parts: Parts, operation: Operation, result: JsonObject): MoveOptions {
  const { runtime } = parts;
  const plain = plainObject(result);
  const bytes = JSON.stringify(plain).length;
  const most = Math.max(runtime.settings.maxResultBytes, 1_024);
  if (bytes > most) throw invalid(`result: ${bytes} bytes are more than maxResultBytes (${most}). Keep what matters.`);
  const known = openPayload(runtime.keys(), operation.id, operation.payload);
  return { payload: { ...known, answer: { kind: "result", result: redact(plain, []).value, by: "operator" } } };
}

function plainObject(result: unknown): JsonObject {
  const isObject = typeof result === "object" && result !== null && !Array.isArray(result);
  if (!isObject) throw invalid('result: must be a JSON object, such as { "invoice": "inv_1" }.');
  try {
    return JSON.parse(JSON.stringify(result)) as JsonObject;
  } catch {
    throw invalid("result: cannot be written as JSON.");
  }
}

/** A person's reference is claimed like a hook's, so that the hook cannot settle a second operation with it. */
async function claimReference(parts: Parts, operation: Operation, event: LifecycleEvent, by: Decision): Promise<void> {
  const { ref, version, override } = by;
  const names = event.type === "operator_applied" || event.type === "correct";
  const allowed = evolve(operation.record, event, parts.runtime.storeNow()).kind === "moved";
  if (ref === undefined || !names || !allowed || operation.version !== version) return;
  const owner = await claim(parts.runtime, operation, ref);
  if (owner === operation.id || override || event.type === "correct") return;
  if (owner === undefined) throw new IndoubtError("STORE_UNAVAILABLE", "The store was too slow. Decide once more.");
  const why = `The reference already settles ${owner}. Look at both; use override if this effect is of both.`;
  throw await meanwhile(parts, operation, by, why, { claimedBy: owner });
}

/** The same decision id twice is one decision; for another decision it is refused. */
async function wasDecided(
  parts: Parts,
  operation: Operation,
  event: LifecycleEvent,
  decision: string,
): Promise<boolean> {
  const lines = await auditOf(parts, operation.id);
  const made = lines.find((line) => line.decision === decision);
  if (made === undefined) return false;
  const isSame = made.row === event.type && (event.type !== "correct" || made.to === event.to);
  if (isSame) return true;
  const { version, record, id } = operation;
  const why = `The decision id was used for another decision (${made.row}). Take a new one.`;
  throw conflict(id, why, { version, state: record.state, since: [made] });
}

const LONGEST = { actor: 200, reason: 2_000, ref: 256, decision: 200 } as const;

/** Decisions come from screens and scripts, too: what the types rule out is checked once more. */
export function checkDecision(by: Decision): void {
  for (const name of ["actor", "reason"] as const) {
    const given: unknown = by[name];
    if (typeof given !== "string" || given.trim() === "")
      throw invalid(`A decision needs ${name}: who decides, and why, is on the record.`);
  }
  for (const [name, most] of Object.entries(LONGEST)) {
    const given: unknown = by[name as keyof typeof LONGEST];
    if (given === undefined) continue;
    if (typeof given !== "string" || given === "") throw invalid(`${name}: must be a text that is not empty.`);
    if (given.length > most) throw invalid(`${name}: ${given.length} characters; ${most} at most.`);
  }
  if (!Number.isInteger(by.version))
    throw invalid("A decision needs version: the one that was looked at, from queue.show(id) or queue.list().");
}

export function eventOf({
  verdict,
  ref,
  override = false,
}: Pick<Resolution, "verdict" | "ref" | "override">): LifecycleEvent {
  switch (verdict) {
    case "applied":
      return { type: "operator_applied", ...(ref !== undefined && { ref }) };
    case "not_applied":
      return { type: "operator_absent", override };
    case "resend":
      return { type: "operator_resend", override };
    case "abandon":
      return { type: "operator_abandon" };
    default:
      throw invalid(`verdict "${String(verdict)}": use applied, not_applied, resend or abandon.`);
  }
}

/** Of the whole name: two that begin alike are two decisions. */
const decisionToken = (decision: string): string =>
  `q${createHash("sha256").update(decision).digest("base64url").slice(0, 24)}`;
