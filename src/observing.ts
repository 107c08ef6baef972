/** Asks the destination about an operation in doubt and writes down what that means. */
import { ownerOf } from "./claims.ts";
import type { ToolPolicy } from "./config.ts";
import { findingOf } from "./core/looks.ts";
import type { JsonObject } from "./core/terms.ts";
import type { Parts } from "./guard-parts.ts";
import { look } from "./look.ts";
import type { MoveOptions, Operation } from "./operation.ts";
import { openPayload, seal, unseal } from "./payload.ts";
import type { Runtime } from "./runtime.ts";

/** What a hook says about its trouble is kept for the operator, this many characters of it. */
const LONGEST_WORD = 300;

/** Sealed like the arguments: an error's text may carry a connection string or a customer's row. */
const sealWord = (runtime: Runtime, id: string, word: string): string =>
  seal(runtime.keys(), `word ${id}`, word.slice(0, LONGEST_WORD));

/** A line of the history as a person reads it. */
export function readableLine(runtime: Runtime, id: string, line: string): { row: string; [fact: string]: unknown } {
  const { sealed, ...facts } = JSON.parse(line) as { row: string; sealed?: string };
  const said = sealed === undefined ? undefined : unseal(runtime.keys(), `word ${id}`, sealed);
  return { ...facts, ...(said !== undefined && { said }) };
}

/** @returns whether a look took place here; false: the hook needs a connection that this process lacks */
export async function observe(
  parts: Parts,
  operation: Operation,
  policy: ToolPolicy,
  within: number,
): Promise<boolean> {
  const looked = await look(parts, operation, policy, within);
  if (looked.impossibleHere) return false;
  const { observation, readAt } = looked;
  const owner = await ownerOf(parts.runtime, operation, observation);
  const event = findingOf(operation.record, observation, readAt, owner);
  if (!event) return true;
  const answer =
    observation.kind === "applied" && observation.result ? observedAnswer(parts, operation, observation.result) : {};
  const said =
    observation.kind === "unclear" ? { sealed: sealWord(parts.runtime, operation.id, observation.reason) } : {};
  await parts.ledger.move(operation, event, { ...answer, note: { observation: observation.kind, ...said } });
  if (operation.record.conflict) await parts.suspend(operation, operation.record.reason ?? "conflict");
  return true;
}

function observedAnswer(parts: Parts, operation: Operation, result: JsonObject): MoveOptions {
  const known = openPayload(parts.runtime.keys(), operation.id, operation.payload);
  return {
    payload: { ...known, answer: { kind: "result", result, by: "destination" } },
    payloadExpireIn: parts.runtime.settings.resultFor,
  };
}
