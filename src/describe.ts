/** The account of a call for the person who approves it, in plain words, before anything is sent. */
import { quoted } from "./core/fence.ts";
import { readHints } from "./core/hints.ts";
import { principalDigest } from "./core/identity.ts";
import { readPointer } from "./core/pointer.ts";
import { redact } from "./core/redaction.ts";
import type { JsonObject, JsonValue } from "./core/terms.ts";
import type { CallDescription } from "./describe-api.ts";
import {
  accountText,
  identityWords,
  operatorWords,
  publisherWords,
  riskWords,
  type Situation,
  unknownWords,
} from "./describe-words.ts";
import { IndoubtError } from "./errors.ts";
import type { ToolCall } from "./guard-api.ts";
import type { Parts } from "./guard-parts.ts";
import { isRefusal, type PreparedCall, prepare, readArguments } from "./intake.ts";
import { contractStatus } from "./permits.ts";
import { own } from "./policy.ts";

/** @throws IndoubtError CALL_REFUSED when the call would be refused as it stands */
export async function describe(parts: Parts, call: ToolCall): Promise<CallDescription> {
  const { runtime, standing } = parts;
  const { expect: _e, confirmRepeatOf: _c, ...plain } = call;
  const keys = await runtime.ready();
  await standing.look(0);
  const declared = runtime.settings.policy(call.server, call.tool, call.arguments);
  const suspendedRead = declared.effect === "read" && standing.isSuspended(call.server, call.tool);
  const policy = suspendedRead ? { ...declared, effect: "write" as const } : declared;
  const given = readArguments(runtime, plain);
  const prepared = isRefusal(given) ? given : prepare(runtime, keys, parts.catalog, plain, policy, given);
  if (isRefusal(prepared)) {
    throw new IndoubtError("CALL_REFUSED", prepared.detail, { details: { because: prepared.because } });
  }
  const args = redact(prepared.arguments, policy.redact, policy.identityArgs).value;
  const account = { ...plainFacts(prepared, args), ...words(await situationOf(parts, prepared, args)) };
  return { ...account, text: accountText(account) };
}

function plainFacts({ call, policy, digest }: PreparedCall, args: JsonObject) {
  const target = policy.target.flatMap((at): [string, JsonValue][] => {
    const value = readPointer(args, at);
    return value === undefined ? [] : [[at, value]];
  });
  return {
    server: call.server,
    tool: call.tool,
    arguments: args,
    digest,
    target: Object.fromEntries(target),
    permissions: policy.permissions,
    effect: policy.effect,
    declared: policy.declared,
  };
}

const words = (situation: Situation) => ({
  identity: identityWords(situation),
  publisher: publisherWords(situation),
  operator: operatorWords(situation),
  observed: situation.observed,
  risks: riskWords(situation),
  unknown: unknownWords(situation),
});

async function situationOf(parts: Parts, { call, policy }: PreparedCall, args: JsonObject): Promise<Situation> {
  const { runtime, catalog, standing } = parts;
  const { server, tool } = call;
  const definition = catalog.definition(server, tool);
  const principal = call.principal === undefined ? undefined : principalDigest(runtime.keys(), call.principal);
  return {
    policy,
    arguments: args,
    definition,
    hints: readHints(definition?.annotations),
    reviewed: own(runtime.settings.lock?.servers, server),
    configured: own(runtime.settings.servers, server)?.identity,
    reached: parts.drift.reached(server),
    obstacle: policy.contract && (await contractStatus(parts, { server, tool, principal }, policy.contract)),
    suspension: standing.find(server, tool),
    observed: await observedOf(parts, server, tool),
  };
}

const MOST_COUNTED = 50;

/** The record of this tool so far: what is open or in doubt, and what broke an assumption. */
async function observedOf({ runtime, standing, drift }: Parts, server: string, tool: string): Promise<string[]> {
  const { items } = await runtime.store.list({ index: "open", server, tool, limit: MOST_COUNTED });
  const { items: waiting } = await runtime.store.list({ index: "attention", server, tool, limit: MOST_COUNTED });
  const many = (count: number) => (count >= MOST_COUNTED ? `${MOST_COUNTED} or more` : `${count}`);
  const suspension = standing.find(server, tool);
  const reason = suspension?.actor === "indoubt" ? suspension.reason : quoted(suspension?.reason ?? "");
  return [
    ...(items.length > 0 ? [`${many(items.length)} earlier operations of this tool are not closed yet.`] : []),
    ...(waiting.length > 0 ? [`${many(waiting.length)} of them wait for a person's decision.`] : []),
    ...(suspension ? [`Contract and read declaration are suspended: ${reason}.`] : []),
    ...drift.contradictions(server, tool),
  ];
}
