/** Cards that contracts cite: one of another tool, definition, release or contract is refused at start. */

import type { Card } from "./card-api.ts";
import { parseCard } from "./card-file.ts";
import { quoted } from "./core/fence.ts";
import { IndoubtError } from "./errors.ts";
import { catalogueFor } from "./lock.ts";
import type { ParsedOptions } from "./options-schema.ts";
import { own, policiesOf, type ToolPolicy } from "./policy.ts";

export interface Citation {
  readonly server: string;
  readonly tool: string;
  /** As the contract names it. */
  readonly file: string;
  readonly card: Card;
}

/** Why a card puts the contract that cites it out of force now; undefined: it does not. */
export function cardProblem(
  { card }: Citation,
  now: number,
  cardFor: number,
): "card_failed" | "card_stale" | undefined {
  if (card.verdict !== "passed") return "card_failed";
  // A date that is none has no age: not fresh.
  return now - Date.parse(card.on) <= cardFor ? undefined : "card_stale";
}

export interface CitedCards {
  readonly citations: readonly Citation[];
  /** Cards that do not count, each with its cure. Their contracts are out of force. */
  readonly warnings: readonly string[];
}

/**
 * @param strict refuse a card that does not count; else it is warned of: whoever only looks must get in, to make a new one
 * @throws IndoubtError CONFIG_INVALID for a card that is none, was edited, or is of something else
 */
export function citedCards(options: ParsedOptions, { strict }: { readonly strict: boolean }): CitedCards {
  const citations: Citation[] = [];
  const warnings: string[] = [];
  for (const each of cited(options)) {
    const { server, tool, file, policy } = each;
    const where = `servers.${server}.tools.${tool}${ruleOf(policy)}.contract.review.card`;
    const given = own(options.cards, file);
    if (given === undefined) {
      const cure = `hand its content in as cards: { ${quoted(file)}: … }, or remove it`;
      warnings.push(`${where} names ${quoted(file)}, which was not read, so the contract is not in force: ${cure}.`);
      continue;
    }
    try {
      citations.push({ server, tool, file, card: fittingCard(options, each, where, given) });
    } catch (error) {
      if (strict || !(error instanceof IndoubtError)) throw error;
      warnings.push(error.message);
    }
  }
  return { citations, warnings };
}

function fittingCard(options: ParsedOptions, each: Cited, where: string, given: unknown): Card {
  const card = readCard(where, given);
  const wrong = mismatch(options, each, card);
  if (!wrong) return card;
  const cure = "Make a card of this tool with `indoubt card`, or cite the right one";
  throw new IndoubtError("CONFIG_INVALID", `${where}: ${quoted(each.file)} ${wrong}. ${cure}.`);
}

const ruleOf = ({ rule }: ToolPolicy): string => (rule === undefined ? "" : `.when.${rule}`);

interface Cited {
  readonly server: string;
  readonly tool: string;
  readonly file: string;
  readonly policy: ToolPolicy;
}

/** Rules on arguments may have contracts of their own; those that inherit the tool's are told once. */
function cited(options: ParsedOptions): readonly Cited[] {
  return Object.entries(options.servers).flatMap(([server, { tools }]) =>
    Object.keys(tools).flatMap((tool) => {
      const { all } = policiesOf(options, server, tool);
      const seen = new Set<string>();
      return all.flatMap((policy) => {
        const file = policy.contract?.review.card;
        const which = JSON.stringify([file, policy.contract?.fingerprint]);
        if (file === undefined || seen.has(which)) return [];
        seen.add(which);
        return [{ server, tool, file, policy }];
      });
    }),
  );
}

function readCard(where: string, given: unknown): Card {
  try {
    return parseCard(given);
  } catch (error) {
    throw new IndoubtError("CONFIG_INVALID", `${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function mismatch(
  { lock, servers }: ParsedOptions,
  { server, tool, policy }: { readonly server: string; readonly tool: string; readonly policy: ToolPolicy },
  card: Card,
): string | undefined {
  if (card.tool !== tool) return `is the card of another tool, ${quoted(card.tool)}`;
  if (card.server !== server) return `is the card of a tool of another server, ${quoted(card.server)}`;
  const { contract } = policy;
  if (contract?.pin && contract.pin.tool !== card.fingerprint) return "is the card of another definition of the tool";
  if (card.contract === undefined) return "is the card of a test without a contract";
  if (card.contract !== contract?.fingerprint) return "is the card of a contract with other terms";
  const reviewed = own(lock?.servers, server);
  const known = catalogueFor(reviewed, own(servers, server)?.principal) && reviewed?.release;
  const other = known && card.release && (known.version !== card.release.version || known.name !== card.release.name);
  return other ? `is the card of another release, ${quoted(card.release?.version ?? "")}` : undefined;
}
