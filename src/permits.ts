/** The two ways to another send: the permit on record, or a contract in force. Each is spent in the store first. */
import { withBaseline } from "./before-sending.ts";
import { withdrawByCard } from "./cards.ts";
import {
  CONTRACT_OBSTACLES,
  type Contract,
  type ContractObstacle,
  contractObstacle,
  contractTerms,
} from "./core/contract.ts";
import { principalDigest } from "./core/identity.ts";
import type { Drive, Grant } from "./drive-api.ts";
import type { Parts } from "./guard-parts.ts";
import { catalogueFor } from "./lock.ts";
import { own } from "./policy.ts";
import { isLastSent } from "./resource.ts";
import { newToken } from "./runtime.ts";

/** Whose call of which tool. */
export interface Sender {
  readonly server: string;
  readonly tool: string;
  /** Digest, where one was named. */
  readonly principal: string | undefined;
}

/** Spends the permit on record, after `wait` ms. */
export async function startAgain(parts: Parts, run: Drive, wait = 0): Promise<Grant | undefined> {
  if (wait > 0 && !(await run.budget.sleep(wait, run.signal))) return undefined;
  const { permit } = run.operation.record;
  if (!permit) return undefined;
  const keep = await withBaseline(parts, run);
  const grantedAt = parts.runtime.clock.monotonic();
  const event = { type: "start", token: newToken() } as const;
  const note = { basis: permit.basis };
  const moved = await parts.ledger.move(run.operation, event, { notAfter: permit.until, note, ...(keep && { keep }) });
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
  const { server, tool } = operation.group;
  const sender: Sender = { server, tool, principal: operation.record.principal };
  const obstacle = await contractStatus(parts, sender, contract);
  if (obstacle) {
    parts.runtime.events.emit("warning", { message: `No resend of ${operation.id}: ${CONTRACT_OBSTACLES[obstacle]}.` });
    return undefined;
  }
  // What was sent under another definition is not what the reviewed one promises something about.
  const live = parts.catalog.live(server, tool, operation.record.principal);
  if (operation.record.definition !== undefined && operation.record.definition !== live) {
    const message = `No resend of ${operation.id}: it was sent under another definition of the tool.`;
    parts.runtime.events.emit("warning", { message });
    return undefined;
  }
  if (!(await isLastSent(parts.runtime, run))) {
    const message = `No resend of ${operation.id}: another operation on the same resource was sent after it, and a repeat would undo that.`;
    parts.runtime.events.emit("warning", { message });
    return undefined;
  }
  const terms = contractTerms(contract);
  const notAfter = Math.min(issuedAt + terms.window - terms.margin, issuedAt + limits.validFor);
  const grantedAt = parts.runtime.clock.monotonic();
  const event = { type: "resend", token: newToken(), contract: terms } as const;
  const moved = await parts.ledger.move(operation, event, { notAfter, ifGeneration: generation });
  // Between this word and the hand-over a list may change, or another of our eyes may see something.
  const holds = () => obstacleHere(parts, sender, contract) === undefined;
  return moved.kind === "moved" ? { basis: "contract", grantedAt, holds } : undefined;
}

/** Why the contract is not in force now. The suspension list is read anew each time. */
export async function contractStatus(
  parts: Parts,
  { server, tool, principal }: Sender,
  contract: Contract,
): Promise<ContractObstacle | undefined> {
  const cardIsHere = checkCards(parts, { server, tool, principal }, contract);
  await parts.standing.current();
  return obstacleHere(parts, { server, tool, principal }, contract) ?? (cardIsHere ? undefined : "card_missing");
}

/** A card may have grown old since the start. @returns whether the card that the contract cites is at hand */
function checkCards({ runtime, standing }: Parts, { server, tool }: Sender, { review }: Contract): boolean {
  const found = runtime.settings.citations.filter(
    (citation) => citation.server === server && citation.tool === tool && citation.file === review.card,
  );
  for (const citation of found) withdrawByCard(runtime, standing, citation);
  return review.card === undefined || found.length > 0;
}

/** The same, as far as this process knows: without a wait, for the very moment of a hand-over. */
function obstacleHere(parts: Parts, sender: Sender, contract: Contract): ContractObstacle | undefined {
  const { server, tool, principal } = sender;
  return contractObstacle(pinnedFor(parts, sender, contract), {
    today: new Date(parts.runtime.clock.wall()).toISOString().slice(0, 10),
    live: parts.catalog.live(server, tool, principal),
    suspended: parts.standing.isSuspended(server, tool),
  });
}

/** A sign-in with a review of its own has the pin of that review, and none for a tool that it does not cover. */
function pinnedFor({ runtime }: Parts, { server, tool: name, principal }: Sender, contract: Contract): Contract {
  const reviewed = own(runtime.settings.lock?.servers, server);
  if (principal === undefined || !reviewed) return contract;
  const named = reviewed.catalogues.find(
    (each) => each.principal !== undefined && principalDigest(runtime.keys(), each.principal) === principal,
  );
  if (!named) return contract;
  const general = catalogueFor(reviewed, own(runtime.settings.servers, server)?.principal);
  // A pin that the operator wrote down is a review of its own.
  if (contract.pin && contract.pin.tool !== own(general?.tools, name)?.fingerprint) return contract;
  const { pin: _pin, ...unpinned } = contract;
  const tool = own(named.tools, name);
  return tool ? { ...unpinned, pin: { tool: tool.fingerprint } } : unpinned;
}
