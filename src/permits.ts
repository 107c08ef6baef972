/** The two ways to another send: the permit on record, or a contract in force. Each is spent in the store first. */
import type { ToolPolicy } from "./config.ts";
import { CONTRACT_OBSTACLES, type ContractObstacle, contractObstacle, contractTerms } from "./core/contract.ts";
import type { Drive, Grant } from "./drive-api.ts";
import type { Parts } from "./guard-parts.ts";
import type { Operation } from "./operation.ts";
import { newToken } from "./runtime.ts";

/** Spends the permit on record, after `wait` ms. */
export async function startAgain(parts: Parts, run: Drive, wait = 0): Promise<Grant | undefined> {
  if (wait > 0 && !(await run.budget.sleep(wait, run.signal))) return undefined;
  const { permit } = run.operation.record;
  if (!permit) return undefined;
  const grantedAt = parts.runtime.clock.monotonic();
  const event = { type: "start", token: newToken() } as const;
  const moved = await parts.ledger.move(run.operation, event, { notAfter: permit.until });
  return moved.kind === "moved" ? { basis: permit.basis, grantedAt } : undefined;
}

/** One resend under the contract, if everything about it holds now. */
export async function resend(parts: Parts, run: Drive): Promise<Grant | undefined> {
  const { operation, policy } = run;
  const { contract } = policy;
  if (!contract || operation.record.state !== "uncertain") return undefined;
  const { attempts, issuedAt, limits, answered } = operation.record;
  // Each send so far was answered, the resend too: a third would only hear it again.
  if (attempts > 1 && answered) return undefined;
  if (attempts > 1 && !(await run.budget.sleep(200 * 2 ** attempts, run.signal))) return undefined;
  const { generation } = await parts.ledger.load(operation.id);
  const obstacle = await obstacleOf(parts, operation, policy);
  if (obstacle) {
    parts.runtime.events.emit("warning", { message: `No resend of ${operation.id}: ${CONTRACT_OBSTACLES[obstacle]}.` });
    return undefined;
  }
  const terms = contractTerms(contract);
  const notAfter = Math.min(issuedAt + terms.window - terms.margin, issuedAt + limits.validFor);
  const grantedAt = parts.runtime.clock.monotonic();
  const event = { type: "resend", token: newToken(), contract: terms } as const;
  const moved = await parts.ledger.move(operation, event, { notAfter, ifGeneration: generation });
  return moved.kind === "moved" ? { basis: "contract", grantedAt } : undefined;
}

/** The suspension list is read anew before every resend. */
async function obstacleOf(
  parts: Parts,
  operation: Operation,
  policy: ToolPolicy,
): Promise<ContractObstacle | undefined> {
  if (!policy.contract) return undefined;
  const { server, tool } = operation.group;
  const suspensions = await parts.runtime.store.suspensions();
  return contractObstacle(policy.contract, {
    today: new Date(parts.runtime.clock.wall()).toISOString().slice(0, 10),
    live: parts.catalog.live(server, tool),
    suspended: suspensions.some((entry) => entry.server === server && entry.tool === tool),
  });
}
