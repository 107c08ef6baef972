/** The manual queue: what automation could not settle waits for a person, who decides with a reason, on the record. */
import { createHash } from "node:crypto";
import type { ToolPolicy } from "./config.ts";
import { dedupKey } from "./core/identity.ts";
import { evolve } from "./core/lifecycle.ts";
import type { LifecycleEvent } from "./core/lifecycle-events.ts";
import { type Instant, isSettled, SETTLED_STATES } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { Parts } from "./guard-parts.ts";
import { claim } from "./look.ts";
import { nextStep, taskNote } from "./next-step.ts";
import { readableLine } from "./observing.ts";
import type { Operation } from "./operation.ts";
import { openPayload } from "./payload.ts";
import type { Queue, QueueDetail, QueueItem, Resolution } from "./queue-api.ts";

/** @param onUse runs at each look into the queue: what dead processes left gets there only by recovery */
export function queue(parts: Parts, onUse: () => void = () => {}): Queue {
  const { runtime, ledger } = parts;

  const item = (operation: Operation, now: Instant): QueueItem => {
    const { server, tool } = operation.group;
    return itemOf(operation, runtime.settings.policy(server, tool), now);
  };

  async function load(id: string): Promise<{ operation: Operation; now: Instant }> {
    await runtime.ready();
    const { operation, now } = await ledger.load(id);
    if (operation) return { operation, now };
    throw conflict(id, `There is no operation ${id}: check the id, or it has expired.`, {});
  }

  async function show(id: string): Promise<QueueDetail> {
    onUse();
    const { operation, now } = await load(id);
    const history = await runtime.store.history(id);
    const { record } = operation;
    return {
      ...item(operation, now),
      issuedAt: record.issuedAt,
      attempts: record.attempts,
      open: record.open,
      ...(record.quiesceAt !== undefined && { quiesceAt: record.quiesceAt }),
      ...(record.ref !== undefined && { ref: record.ref }),
      ...(record.items && { items: record.items }),
      arguments: openPayload(runtime.keys(), id, operation.payload)?.arguments ?? {},
      audit: history.map(({ at, line }) => ({ at, ...readableLine(runtime, id, line) })),
      now,
      key: dedupKey(runtime.keys(), id),
      hook: { configured: false, absent: 0, probes: 0 },
      known: [],
      unknown: [],
      risk: [],
      allowed: [],
      timeline: [],
    };
  }

  async function decide(id: string, event: LifecycleEvent, by: Omit<Resolution, "verdict">): Promise<QueueDetail> {
    checkDecision(by);
    const { operation } = await load(id);
    if (by.decision !== undefined && (await wasDecided(id, by.decision))) return show(id);
    await claimReference(operation, event, by);
    const note = {
      actor: by.actor,
      reason: by.reason,
      ...(by.ref !== undefined && { ref: by.ref }),
      ...(by.override && { override: true }),
      ...(by.decision !== undefined && { decision: by.decision }),
    };
    const moved = await ledger.move(operation, event, {
      note,
      expect: by.version,
      ...(by.decision !== undefined && { token: decisionToken(by.decision) }),
    });
    if (moved.kind === "moved") return show(id);
    const { version, record } = operation;
    const why = moved.kind === "refused" ? whyNot(operation, moved.why, runtime.storeNow()) : "It is gone.";
    throw conflict(id, why, { version, state: record.state });
  }

  /** A person's reference is claimed like a hook's, so that the hook cannot settle a second operation with it. */
  async function claimReference(
    operation: Operation,
    event: LifecycleEvent,
    { ref, version, override }: Omit<Resolution, "verdict">,
  ): Promise<void> {
    const names = event.type === "operator_applied" || event.type === "correct";
    const allowed = evolve(operation.record, event, runtime.storeNow()).kind === "moved";
    if (ref === undefined || !names || !allowed || operation.version !== version) return;
    const owner = await claim(runtime, operation, ref);
    if (owner === operation.id || override || event.type === "correct") return;
    if (owner === undefined) throw new IndoubtError("STORE_UNAVAILABLE", "The store was too slow. Decide once more.");
    const why = `The reference already settles ${owner}. Look at both; use override if this effect is of both.`;
    throw conflict(operation.id, why, { version, state: operation.record.state, claimedBy: owner });
  }

  async function wasDecided(id: string, decision: string): Promise<boolean> {
    const lines = await runtime.store.history(id);
    return lines.some(({ line }) => (JSON.parse(line) as { decision?: string }).decision === decision);
  }

  return {
    show,
    async list(filter = {}) {
      onUse();
      await runtime.ready();
      const { state, index = "attention", ...rest } = filter;
      const page = await runtime.store.list({ index, ...rest });
      runtime.heard(page.now);
      const items = page.items.map((stored) => item(ledger.handle(stored), page.now));
      return {
        items: state ? items.filter((listed) => listed.state === state) : items,
        scanned: items.length,
        ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
      };
    },
    resolveAll: unfinished,
    stats: unfinished,
    journal: unfinished,
    watch: unfinished,
    resolve: async (id, resolution) => decide(id, eventOf(resolution), resolution),
    async correct(id, { to, ...by }) {
      if (!isSettled(to)) throw invalid(`to: "${String(to)}" is no settled state: ${SETTLED_STATES.join(", ")}.`);
      return decide(id, { type: "correct", to, ...(by.ref !== undefined && { ref: by.ref }) }, by);
    },
  };
}

const unfinished = (): never => {
  throw invalid("not built yet");
};

const invalid = (message: string): IndoubtError => new IndoubtError("CONFIG_INVALID", message);

/** Decisions come from screens and scripts, too: what the types rule out is checked once more. */
function checkDecision(by: Omit<Resolution, "verdict">): void {
  for (const name of ["actor", "reason"] as const) {
    const given: unknown = by[name];
    if (typeof given !== "string" || given.trim() === "")
      throw invalid(`A decision needs ${name}: who decides, and why, is on the record.`);
  }
  if (!Number.isInteger(by.version))
    throw invalid("A decision needs version: the one that was looked at, from queue.show(id) or queue.list().");
}

function eventOf({ verdict, ref, override = false }: Resolution): LifecycleEvent {
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

function itemOf(operation: Operation, policy: ToolPolicy, now: Instant): QueueItem {
  const { id, version, record, group } = operation;
  return {
    id,
    version,
    state: record.state,
    server: group.server,
    tool: group.tool,
    ageMs: now - record.issuedAt,
    reason: record.reason ?? record.state,
    conflict: record.conflict === true,
    next: `${nextStep(operation, policy, now)} ${taskNote(operation)}`.trim(),
  };
}

function whyNot(operation: Operation, why: string, now: Instant): string {
  const { record, version } = operation;
  if (why === "another version is there") {
    return `Somebody was faster: it is now version ${version}, ${record.state}. Look at it again before you decide.`;
  }
  if (why.includes("quiesced")) {
    const wait = Math.ceil(((record.quiesceAt ?? 0) - now) / 1000);
    return `A lost write can still land for ${wait} s. Decide after that, or with override if you know better.`;
  }
  if (why.includes("attempts_left"))
    return "It was sent as often as maxAttempts allows. Use override if it must be sent once more.";
  return `That is not possible in state ${record.state} (${why}).`;
}

const conflict = (id: string, message: string, details: Readonly<Record<string, unknown>>): IndoubtError =>
  new IndoubtError("RESOLUTION_CONFLICT", message, { effect: "possible", details: { id, ...details } });

/** Of the whole name: two that begin alike are two decisions. */
const decisionToken = (decision: string): string =>
  `q${createHash("sha256").update(decision).digest("base64url").slice(0, 24)}`;
