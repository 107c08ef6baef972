/** The operator's configuration: parsed once, strictly; every error names the path and the cure. */
import type { z } from "zod";
import { type Citation, citedCards } from "./card-citations.ts";
import { invalid, notValid } from "./config-errors.ts";
import { expiredReviews, lookProblems, pointerProblems } from "./config-pointers.ts";
import { warningsOf } from "./config-warnings.ts";
import { type Contract, type ContractInput, contractSchema, sealContract } from "./core/contract.ts";
import { type Lock, parseLock } from "./lock.ts";
import { optionsSchema, type ParsedServer } from "./options-schema.ts";
import { policiesOf, type ToolPolicies, type ToolPolicy } from "./policy.ts";
import { type PresetContractInput, presetContractSchema } from "./presets.ts";

export { invalid } from "./config-errors.ts";
export { optionsSchema, serverSchema } from "./options-schema.ts";
export type { ToolPolicies, ToolPolicy } from "./policy.ts";

export interface Settings extends Omit<z.output<typeof optionsSchema>, "servers" | "lock"> {
  /** What holds for a call. Without arguments: what holds where no rule on arguments fits. */
  policy(server: string, tool: string, args?: unknown): ToolPolicy;
  policies(server: string, tool: string): ToolPolicies;
  readonly servers: Readonly<Record<string, ParsedServer>>;
  readonly lock?: Lock | undefined;
  readonly citations: readonly Citation[];
  /** False: other servers are configured, this one is not, so nothing that was declared is in force for it. */
  knows(server: string): boolean;
  /** Set-ups that work but hurt, each with its cure. */
  readonly warnings: readonly string[];
}

/**
 * A contract of one tool: checked at once, so that a mistake shows where it is written. With `preset`, what a provider
 * documents is filled in; the review stays yours.
 * @throws IndoubtError CONTRACT_INVALID with the path and the cure
 */
export function contract(input: ContractInput | PresetContractInput): Contract {
  const schema = "preset" in input ? presetContractSchema : contractSchema;
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw invalid("CONTRACT_INVALID", "The contract", parsed.error);
  return sealContract(parsed.data);
}

/**
 * @param today ISO date: a review that has expired is refused, and so is a card of something else; absent: for whoever
 *   only looks
 * @throws IndoubtError CONFIG_INVALID with each path and cure
 */
export function parseSettings(input: unknown, today?: string): Settings {
  const parsed = optionsSchema.safeParse(input);
  if (!parsed.success) throw invalid("CONFIG_INVALID", "The configuration", parsed.error);
  const options = { ...parsed.data, ...(parsed.data.lock && { lock: parseLock(parsed.data.lock) }) };
  const problems = [
    ...pointerProblems(options),
    ...lookProblems(options),
    ...(today === undefined ? [] : expiredReviews(options, today)),
  ];
  if (problems.length > 0) throw notValid("CONFIG_INVALID", "The configuration", problems);
  const cache = new Map<string, ToolPolicies>();
  const policies = (server: string, tool: string): ToolPolicies => {
    const name = `${server}\n${tool}`;
    const known = cache.get(name) ?? policiesOf(options, server, tool);
    if (cache.size < 10_000) cache.set(name, known);
    return known;
  };
  const cards = citedCards(options, { strict: today !== undefined });
  return {
    ...options,
    citations: cards.citations,
    warnings: [...warningsOf(options), ...cards.warnings],
    knows: (server) => Object.keys(options.servers).length === 0 || Object.hasOwn(options.servers, server),
    policies,
    policy: (server, tool, args) => policies(server, tool).of(args),
  };
}
