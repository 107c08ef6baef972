/** One step of recovery for one record, by its state: look, send again, ask a person, or end what is over. */
import { budget } from "./budget.ts";
import type { ToolPolicy } from "./config.ts";
import { afterEarlyAbsence, contradictionIn } from "./core/looks.ts";
import type { ReasonCode } from "./core/reasons.ts";
import { taskOpen } from "./core/tasks.ts";
import { type Instant, isDoubt } from "./core/terms.ts";
import { drive } from "./drive.ts";
import type { Drive, Grant } from "./drive-api.ts";
import type { Parts } from "./guard-parts.ts";
import { closeLegs } from "./legs.ts";
import { look } from "./look.ts";
import { countLoss } from "./loss.ts";
import { observe } from "./observing.ts";
import type { Operation } from "./operation.ts";
import { openPayload } from "./payload.ts";
import { resend, startAgain } from "./permits.ts";
import { stepTask } from "./tasks.ts";

/** A hook that no process could run for this long: a person should look. */
const NOBODY_COULD_LOOK = 3_600_000;
/** What this configuration does not know is for those who do; after this long past quiescence, for a person. */
const NOBODY_CAME = 600_000;

/** Sends that go on beside the rounds: a server that does not answer must not keep recovery from everything else. */
export type Beside = Set<Promise<void>>;

/** Whether the next step asks the destination. */
export function needsLook(parts: Parts, { record, group }: Operation): boolean {
  const asks = record.state === "uncertain" || record.watchUntil !== undefined;
  if (taskOpen(record) && isDoubt(record.state)) return true;
  return asks && parts.runtime.settings.policies(group.server, group.tool).all.some(({ look }) => look !== undefined);
}

/** @returns false when the next step needs a connection or configuration that is not here */
export async function advance(parts: Parts, operation: Operation, now: Instant, beside: Beside): Promise<boolean> {
  const { ledger } = parts;
  if (await countLoss(parts, operation)) return true;
  switch (operation.record.state) {
    case "in_flight":
      await ledger.move(operation, { type: "lease_over" });
      return true;
    case "ready":
      return advanceReady(parts, operation, beside);
    case "uncertain":
      return advanceDoubt(parts, operation, now, beside);
    case "unresolved":
      if (!taskOpen(operation.record)) return true;
      return (await stepTask(parts, operation, await policyOf(parts, operation))) === "done";
    default:
      if (operation.record.watchUntil !== undefined) return advanceWatch(parts, operation, now);
      await ledger.move(operation, { type: "hold_over" });
      await closeLegs(parts, operation);
      return true;
  }
}

async function advanceReady(parts: Parts, operation: Operation, beside: Beside): Promise<boolean> {
  const { ledger } = parts;
  const gaveUp = await ledger.move(operation, { type: "give_up" });
  if (gaveUp.kind === "moved") return true;
  const lapsed = await ledger.move(operation, { type: "permit_over" });
  if (lapsed.kind === "moved") return true;
  const basis = operation.record.permit?.basis;
  if (basis !== "operator" && basis !== "observed_absent") return true;
  return sendFromRecord(parts, operation, startAgain, beside);
}

/** Sends without the caller: only from a complete copy of the arguments, on a connection of this process. */
async function sendFromRecord(
  parts: Parts,
  operation: Operation,
  take: (parts: Parts, run: Drive) => Promise<Grant | undefined>,
  beside: Beside,
): Promise<boolean> {
  const { runtime, links, ledger } = parts;
  const { server, tool } = operation.group;
  const wire = links.any(server, operation.record.principal);
  const { operation: fresh } = await ledger.load(operation.id);
  const stored = openPayload(runtime.keys(), operation.id, fresh?.payload);
  if (!wire || !stored?.arguments || !stored.complete) return false;
  const policy = runtime.settings.policy(server, tool, stored.arguments);
  const run: Drive = {
    operation,
    policy,
    arguments: stored.arguments,
    wire,
    budget: budget(runtime.clock, policy.deadline, policy.maxDeadline),
    marks: {},
  };
  const grant = await take(parts, run);
  if (!grant) return false;
  const sending = sendBeside(parts, run, grant).finally(() => beside.delete(sending));
  beside.add(sending);
  return true;
}

async function sendBeside(parts: Parts, run: Drive, grant: Grant): Promise<void> {
  const { id } = run.operation;
  parts.driven.add(id);
  try {
    await drive(parts, run, grant);
  } catch (error) {
    const message = `The answer to a resend of ${id} could not be recorded; its lease decides: ${String(error)}`;
    parts.runtime.events.emit("warning", { message });
  } finally {
    parts.driven.delete(id);
  }
}

async function advanceDoubt(parts: Parts, operation: Operation, now: Instant, beside: Beside): Promise<boolean> {
  const policy = await policyOf(parts, operation);
  const { record } = operation;
  if (taskOpen(record)) {
    const step = await stepTask(parts, operation, policy);
    if (step === "done") return true;
    if (step === "not_here") {
      if (now - (record.quiesceAt ?? record.issuedAt) < NOBODY_CAME) return false;
      return escalate(parts, operation, "task_not_asked");
    }
  }
  if (policy.look) {
    if ((record.probes ?? 0) >= record.limits.maxProbes) return escalate(parts, operation, "probes_used_up");
    const looked = await observe(parts, operation, policy, policy.lookWithin);
    const counted = operation.record.probes !== record.probes;
    if (operation.record.state === "uncertain" && looked && !counted) await postpone(parts, operation);
    const waits = now - (record.lookAt ?? record.issuedAt);
    if (!looked && waits > NOBODY_COULD_LOOK) return escalate(parts, operation, "nobody_could_look");
    return looked;
  }
  if (policy.contract && (await sendFromRecord(parts, operation, resend, beside))) return true;
  if (othersMayKnow(parts, operation, policy) && now - (record.quiesceAt ?? record.issuedAt) < NOBODY_CAME)
    return false;
  return escalate(parts, operation, "no_way_to_find_out");
}

/** Programs with different configurations share a store: what was sent under another one's hook or contract is theirs. */
function othersMayKnow({ runtime, strangers }: Parts, { record, group }: Operation, { contract }: ToolPolicy): boolean {
  const isOurs = runtime.settings.knows(group.server) || strangers.has(group.server);
  return !isOurs || (record.contract !== undefined && contract === undefined);
}

/** With rules on arguments the kept copy says which one holds; it is read only then. */
async function policyOf({ runtime, ledger }: Parts, { id, group }: Operation): Promise<ToolPolicy> {
  const { base, all, of } = runtime.settings.policies(group.server, group.tool);
  if (all.length === 1) return base;
  const { operation } = await ledger.load(id);
  return of(openPayload(runtime.keys(), id, operation?.payload)?.arguments);
}

async function postpone(parts: Parts, operation: Operation): Promise<void> {
  const { record } = operation;
  const now = parts.runtime.storeNow();
  if ((record.lookAt ?? 0) > now) return;
  await parts.ledger.move(operation, afterEarlyAbsence(record, now), { note: { observation: "absent", early: true } });
}

/** @returns false before quiescence: a lost write can still land, so nobody is asked yet and nothing else is to be done */
async function escalate(parts: Parts, operation: Operation, reason: ReasonCode): Promise<boolean> {
  const moved = await parts.ledger.move(operation, { type: "escalate", reason });
  return moved.kind === "moved";
}

/** After a resend or a success to verify: a second effect, or none at all, is a conflict. */
async function advanceWatch(parts: Parts, operation: Operation, now: Instant): Promise<boolean> {
  const { ledger } = parts;
  const policy = await policyOf(parts, operation);
  if (!policy.look) {
    const watched = (operation.record.watchUntil ?? 0) + NOBODY_CAME;
    if (othersMayKnow(parts, operation, policy) && now < watched) return false;
    await ledger.move(operation, { type: "watch_over" });
    return true;
  }
  const { observation, impossibleHere } = await look(parts, operation, policy, policy.lookWithin);
  const over = now >= (operation.record.watchUntil ?? 0);
  if (impossibleHere && !over) return false;
  const reason = contradictionIn(operation.record, observation, over);
  if (reason) {
    await ledger.move(operation, { type: "reopen", reason });
    await parts.suspend(operation, reason);
  }
  const verified = observation.kind === "applied" && operation.record.attempts < 2;
  const unseen = impossibleHere || observation.kind === "unclear";
  if (over && unseen) unwatched(parts, operation);
  const note = { observation: impossibleHere ? "impossible_here" : observation.kind };
  if (reason || verified || over) await ledger.move(operation, { type: "watch_over" }, { note });
  return over || verified || reason !== undefined;
}

/** The watch ends by time: that nothing contradicted the outcome says little where nothing was seen. */
function unwatched({ runtime }: Parts, { id, group }: Operation): void {
  const cure = `guard a client of "${group.server}" in the process that sweeps, and see why its hook for ${group.tool} is unclear`;
  runtime.events.emit("warning", {
    message: `The watch of ${id} ended without an answer of the destination: whether it shows the effect is not verified. Cure: ${cure}.`,
  });
}
