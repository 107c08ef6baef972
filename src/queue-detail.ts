/** One operation as a person needs it to decide: facts, evidence, what is known and what is not. */
import type { ToolPolicy } from "./config.ts";
import { CONTRACT_OBSTACLES } from "./core/contract.ts";
import { dedupKey } from "./core/identity.ts";
import type { Answer } from "./core/outcome.ts";
import type { Instant } from "./core/terms.ts";
import type { Parts } from "./guard-parts.ts";
import { nextStep, taskNote } from "./next-step.ts";
import { readableLine } from "./observing.ts";
import type { Operation } from "./operation.ts";
import { openPayload, type Payload } from "./payload.ts";
import { contractStatus } from "./permits.ts";
import type { AuditLine, KeptAnswer, QueueDetail, QueueItem } from "./queue-api.ts";
import { allowedOf, knownOf, riskOf, unknownOf } from "./queue-sentences.ts";
import { timelineOf } from "./queue-timeline.ts";

export const policyOf = ({ runtime }: Parts, { group }: Operation, payload?: Payload): ToolPolicy =>
  runtime.settings.policy(group.server, group.tool, payload?.arguments);

export function itemOf(operation: Operation, policy: ToolPolicy, now: Instant): QueueItem {
  const { id, version, record, group } = operation;
  return {
    id,
    version,
    state: record.state,
    server: group.server,
    tool: group.tool,
    ageMs: Math.max(0, now - record.issuedAt),
    reason: record.reason ?? record.state,
    conflict: record.conflict === true,
    next: `${nextStep(operation, policy, now)} ${taskNote(operation)}`.trim(),
  };
}

export async function auditOf({ runtime }: Parts, id: string): Promise<AuditLine[]> {
  const history = await runtime.store.history(id);
  return history.map(({ at, line }) => ({ at, ...readableLine(runtime, id, line) }));
}

export async function detailOf(parts: Parts, operation: Operation, now: Instant): Promise<QueueDetail> {
  const { runtime } = parts;
  const { id, record } = operation;
  const payload = openPayload(runtime.keys(), id, operation.payload);
  const policy = policyOf(parts, operation, payload);
  const [lines, contract] = await Promise.all([auditOf(parts, id), contractOf(parts, operation, policy)]);
  // The history was read after the record: what is newer than the version that is shown does not belong to it.
  const audit = lines.filter(({ v }) => typeof v !== "number" || v <= operation.version);
  const said = audit.findLast((line) => typeof line.said === "string")?.said;
  return {
    ...itemOf(operation, policy, now),
    issuedAt: record.issuedAt,
    attempts: record.attempts,
    open: record.open,
    ...(record.quiesceAt !== undefined && { quiesceAt: record.quiesceAt }),
    ...(record.ref !== undefined && { ref: record.ref }),
    ...(record.items && { items: record.items }),
    arguments: payload?.arguments ?? {},
    audit,
    now,
    key: dedupKey(runtime.keys(), id),
    ...(record.principal !== undefined && { principal: record.principal }),
    ...(contract && { contract }),
    ...(record.definition !== undefined && { definition: record.definition }),
    hook: {
      configured: policy.look !== undefined,
      absent: record.absent ?? 0,
      probes: record.probes ?? 0,
      ...(typeof said === "string" && { lastSaid: said }),
    },
    known: knownOf(operation),
    unknown: unknownOf(operation, policy, now),
    risk: riskOf(operation, contract, now),
    allowed: allowedOf(operation, now),
    timeline: timelineOf(record, audit, now, policy.look !== undefined),
    ...(payload?.answer && { answer: keptAnswer(payload.answer) }),
  };
}

async function contractOf(
  parts: Parts,
  { group, record }: Operation,
  { contract }: ToolPolicy,
): Promise<QueueDetail["contract"]> {
  if (!contract) return undefined;
  const { server, tool } = group;
  const obstacle = await contractStatus(parts, { server, tool, principal: record.principal }, contract);
  if (obstacle === "suspended") {
    const all = await parts.runtime.store.suspensions();
    const entry = all.find((each) => each.server === server && each.tool === tool);
    return { status: obstacle, words: CONTRACT_OBSTACLES[obstacle], ...(entry && { suspended: entry.reason }) };
  }
  if (obstacle) return { status: obstacle, words: CONTRACT_OBSTACLES[obstacle] };
  if (record.contract !== undefined && record.contract !== contract.fingerprint) {
    return { status: "other_terms", words: "this operation was sent under other terms than those of today's contract" };
  }
  if (record.definition !== undefined && contract.pin && record.definition !== contract.pin.tool) {
    return { status: "other_definition", words: "this operation was sent under another definition of the tool" };
  }
  return { status: "in_force", words: "in force: the destination is documented to collapse repeats" };
}

function keptAnswer(answer: Answer): KeptAnswer {
  if (answer.kind === "result") return { by: answer.by ?? "server", value: answer.result };
  const { code, message, data } = answer;
  return { by: "server", value: { error: { code, message, ...(data !== undefined && { data }) } } };
}
