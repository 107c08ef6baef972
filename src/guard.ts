/** One guarded call, on one page: resolve, identify, hold, record, send, classify, record, answer. */
import { rememberAnswer } from "./alias.ts";
import { type Marks, refusedOutcome } from "./answers.ts";
import { beginOrAdopt } from "./beginning.ts";
import { budget as newBudget } from "./budget.ts";
import { admit, sharesOutcome } from "./core/admission.ts";
import { parseDuration } from "./core/duration.ts";
import { defined } from "./core/fields.ts";
import type { Outcome } from "./core/outcome.ts";
import { taskOpen } from "./core/tasks.ts";
import { isSettled } from "./core/terms.ts";
import { answerFrom, drive, recover } from "./drive.ts";
import type { Drive } from "./drive-api.ts";
import { IndoubtError, isStoreGone } from "./errors.ts";
import type { ToolCall } from "./guard-api.ts";
import type { Parts } from "./guard-parts.ts";
import { isRefusal, type PreparedCall, prepare, readArguments, visitOf } from "./intake.ts";
import { waitFor } from "./join.ts";
import type { Begun } from "./ledger.ts";
import { nextLeg } from "./legs.ts";
import type { Operation } from "./operation.ts";
import { startAgain } from "./permits.ts";
import { performRead } from "./reads.ts";
import { noteSend } from "./resource.ts";
import type { Wire } from "./wire.ts";

export async function performCall(parts: Parts, call: ToolCall, wire: Wire): Promise<Outcome> {
  const { runtime, catalog } = parts;
  const { settings } = runtime;
  const declared = settings.policy(call.server, call.tool, call.arguments);
  warnOfStranger(parts, call.server);
  if (declared.refused)
    return refusedOutcome(call, "undeclared_tool", `Declare it under servers.${call.server}.tools.`);
  const deadline = deadlineOf(call) ?? declared.deadline;
  const budget = newBudget(runtime.clock, deadline, Math.max(declared.maxDeadline, deadline));
  const read = declared.effect === "read";
  // Now, before anything is awaited: the policy was chosen by these arguments, and the caller may change its object.
  const given = readArguments(runtime, call);
  if (isRefusal(given)) return refusedOutcome(call, given.because, given.detail);
  if (read && (await parts.standing.isInForce(call.server, call.tool))) {
    return performRead(parts, call, given.arguments, { wire, budget });
  }
  // A read whose declaration is suspended is a write: recorded, and sent once.
  const policy = read ? { ...declared, effect: "write" as const } : declared;
  if (call.signal?.aborted) return refusedOutcome(call, "aborted", "The caller's signal was aborted.");
  try {
    const keys = await runtime.ready();
    const turn = parts.turns.next();
    if (turn) await turn;
    const prepared = prepare(runtime, keys, catalog, call, policy, given);
    if (isRefusal(prepared)) return refusedOutcome(call, prepared.because, prepared.detail);
    return await performWrite(parts, prepared, { wire, budget });
  } catch (error) {
    if (!isStoreGone(error)) throw error;
    return refusedOutcome(call, "store_unavailable", (error as Error).message);
  }
}

/** A misspelt server name loses hooks, contracts and identity without an error: say so, once. */
function warnOfStranger({ runtime, strangers }: Parts, server: string): void {
  if (runtime.settings.knows(server) || strangers.has(server)) return;
  strangers.add(server);
  const message = `The configuration does not know the server "${server}": its tools are writes without hook or contract. Add it under servers, or correct the name.`;
  runtime.events.emit("warning", { message });
}

/** A text such as "2s" is understood here too; anything else would be a deadline that never comes. */
function deadlineOf({ deadline }: ToolCall): number | undefined {
  if (deadline === undefined) return undefined;
  const ms = parseDuration(deadline);
  if (ms !== undefined && ms > 0) return ms;
  throw new IndoubtError(
    "CONFIG_INVALID",
    `deadline "${deadline}" is not a duration: write ms or a text such as "2s"; nothing was sent.`,
  );
}

/** Lost races in a row before the call is refused: only a damaged store gets there. */
const MOST_TURNS = 50;

type Means = Pick<Drive, "wire" | "budget">;

/** I11: no intent recorded, nothing sent. */
async function performWrite(parts: Parts, call: PreparedCall, means: Means): Promise<Outcome> {
  for (let turn = 0; ; turn++) {
    const grantedAt = parts.runtime.clock.monotonic();
    const begun = await beginOrAdopt(parts, call);
    if (begun.kind === "refused") return refusedOutcome(call.call, begun.because, begun.detail);
    if (begun.kind === "mismatch") {
      const detail = `Operation ${begun.operation.id} has other arguments. Mint a new operationId for another effect.`;
      return refusedOutcome(call.call, "other_arguments", detail, { operation: begun.operation.id });
    }
    const run = runOf(call, begun.operation, means, begun.kind === "met" ? begun : undefined);
    const work = begun.kind === "created" ? sendFirst(parts, run, grantedAt) : meet(parts, call, begun, run);
    const outcome = await driven(parts, run, work);
    if (outcome === "begin_again") {
      if (turn < MOST_TURNS) continue;
      return refusedOutcome(
        call.call,
        "store_unavailable",
        "The record kept changing under this call; nothing was sent for it.",
      );
    }
    const shared = begun.kind === "met" && begun.relation === "other" && begun.sameDigest;
    if (shared) await rememberAnswer(parts, call, run.operation);
    parts.deliveries.keep(run.operation, call.thread);
    return outcome;
  }
}

/** With a baseline the record waits for what is there before the send. */
async function sendFirst(parts: Parts, run: Drive, grantedAt: number): Promise<Outcome | "begin_again"> {
  await noteSend(parts.runtime, run);
  if (run.operation.record.state !== "ready") return drive(parts, run, { basis: "first", grantedAt });
  const grant = await startAgain(parts, run);
  return grant ? drive(parts, run, grant) : "begin_again";
}

/** Another record stands in the way: the admission table says what to do with it. */
async function meet(
  parts: Parts,
  call: PreparedCall,
  begun: Extract<Begun, { kind: "met" }>,
  run: Drive,
): Promise<Outcome | "begin_again"> {
  const { operation } = run;
  // What time has decided already: a lease, a permit. No round trip unless it has.
  for (const type of ["lease_over", "give_up", "permit_over"] as const) await parts.ledger.move(operation, { type });
  const byPolicy = call.policy.look !== undefined || call.policy.contract !== undefined;
  const canRecover = byPolicy || taskOpen(operation.record);
  const question = call.leg ?? visitOf(parts.runtime.keys(), call);
  const facts = { now: parts.runtime.storeNow(), sameDigest: begun.sameDigest, canRecover, question };
  if (!begun.sameDigest) {
    const { server, tool } = operation.group;
    parts.runtime.events.emit("changed_arguments", { operation: operation.id, server, tool });
  }
  switch (admit(begun.relation, operation.record, facts).step) {
    case "send": {
      const grant = await startAgain(parts, run);
      return grant ? drive(parts, run, grant) : "begin_again";
    }
    case "go_on": {
      const grant = await nextLeg(parts, run, question);
      // It is the operation's own call from here on.
      return grant ? drive(parts, { ...run, marks: {} }, grant) : "begin_again";
    }
    case "withdraw":
      await parts.ledger.move(operation, { type: "withdraw" });
      return "begin_again";
    case "recover":
      return recoverFor(parts, call, begun, run);
    case "join": {
      const waited = await waitFor(parts, run);
      if (waited === "begin_again" || endedForAnother(call, begun, operation)) return "begin_again";
      // Its driver is gone: this caller has the arguments and the time to find out.
      const canNow = byPolicy || taskOpen(operation.record);
      if (operation.record.state === "uncertain" && begun.sameDigest && canNow)
        return recoverFor(parts, call, begun, run);
      return answerFrom(parts, { ...run, marks: { ...run.marks, joined: true } }, undefined);
    }
    case "recall":
      return answerFrom(parts, { ...run, marks: { ...run.marks, recalled: true } }, undefined);
    case "hold":
      // A person has it, and its task may still tell how it ended.
      return begun.sameDigest && run.wire.ask && isUnresolvedTask(operation)
        ? recoverFor(parts, call, begun, run)
        : answerFrom(parts, run, undefined);
  }
}

const isUnresolvedTask = ({ record }: Operation): boolean => record.state === "unresolved" && taskOpen(record);

async function recoverFor(
  parts: Parts,
  call: PreparedCall,
  begun: Extract<Begun, { kind: "met" }>,
  run: Drive,
): Promise<Outcome | "begin_again"> {
  const outcome = await recover(parts, run);
  return endedForAnother(call, begun, run.operation) ? "begin_again" : outcome;
}

const endedForAnother = (
  { rank, leg }: PreparedCall,
  { relation }: Extract<Begun, { kind: "met" }>,
  { record }: Operation,
): boolean => isSettled(record.state) && !sharesOutcome({ relation, ownId: rank === 1, isRound: leg !== undefined });

async function driven<T>(parts: Parts, run: Drive, work: Promise<T>): Promise<T | Outcome> {
  const { id } = run.operation;
  parts.driven.add(id);
  try {
    return await work;
  } catch (error) {
    return withoutStore(parts, run, error);
  } finally {
    parts.driven.delete(id);
  }
}

/** From `begin` on an attempt may be under way: no failure of store or code turns that into "nothing was done". */
function withoutStore(parts: Parts, run: Drive, error: unknown): Outcome {
  parts.runtime.events.emit("warning", { message: `The store went away during ${run.operation.id}: ${String(error)}` });
  const { record } = run.operation;
  const known = isSettled(record.state) ? record : { ...record, state: "uncertain" as const, reason: "silence" };
  const marks = { ...run.marks, unrecorded: true };
  return answerFrom(parts, { operation: { ...run.operation, record: known }, marks }, undefined);
}

function runOf(
  call: PreparedCall,
  operation: Operation,
  means: Means,
  met: Extract<Begun, { kind: "met" }> | undefined,
): Drive {
  const { policy, arguments: args } = call;
  const heldBy = met?.relation === "other" ? operation.id : undefined;
  return defined<Drive>({
    operation,
    policy,
    arguments: args,
    wire: means.wire,
    budget: means.budget,
    signal: call.call.signal,
    marks: defined<Marks>({ heldBy, differentArguments: (met && !met.sameDigest) || undefined }),
  });
}
