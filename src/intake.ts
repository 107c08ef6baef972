/** From a call to a prepared operation: whose, which, what arguments, what identity. Nothing is sent or stored here. */
import type { Catalog } from "./catalog.ts";
import type { ToolPolicy } from "./config.ts";
import { canonicalJson } from "./core/canonical-json.ts";
import { copyArguments } from "./core/copy-arguments.ts";
import { defined } from "./core/fields.ts";
import {
  argumentsDigest,
  fingerprintOf,
  groupOf,
  type IdentityValue,
  issueTimeOf,
  type Keyring,
  legIdOf,
  operationIdOf,
  type Place,
  principalDigest,
  type Question,
  questionDigest,
  threadDigest,
} from "./core/identity.ts";
import type { RefusalCode } from "./core/reasons.ts";
import type { Instant, JsonObject } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { Leg, ToolCall } from "./guard-api.ts";
import type { Group } from "./ports.ts";
import { freshBytes } from "./random.ts";
import type { Runtime } from "./runtime.ts";

export interface PreparedCall {
  readonly call: ToolCall;
  readonly policy: ToolPolicy;
  readonly place: Place;
  readonly group: Group;
  readonly id: string;
  readonly rank: 1 | 2 | 3;
  readonly arguments: JsonObject;
  readonly digest: string;
  readonly fingerprint?: string;
  readonly thread?: string;
  readonly principal?: string;
  readonly issuedAt?: Instant;
  /** Digest of the question that it answers, where it goes on with an earlier call. */
  readonly leg?: string;
  /** Fingerprint of the tool's definition, where its list was seen. */
  readonly definition?: string;
}

export interface Refusal {
  readonly because: RefusalCode;
  readonly detail: string;
}

export const isRefusal = (value: object): value is Refusal => "because" in value;

interface ReadArguments {
  readonly arguments: JsonObject;
  readonly canonical: string;
}

/** Arguments as they will be sent, or why they cannot be. */
export function readArguments(runtime: Runtime, call: ToolCall): ReadArguments | Refusal {
  const copied = copyArguments(call.arguments);
  if (copied.kind === "not_json") {
    return { because: "not_json", detail: `At ${copied.at || "/"}: ${copied.what}. ${copied.cure}` };
  }
  const canonical = canonicalJson(copied.value);
  const { maxArgumentBytes } = runtime.settings;
  const bytes = canonical.length > maxArgumentBytes / 3 ? Buffer.byteLength(canonical) : canonical.length;
  if (bytes > maxArgumentBytes) {
    const detail = `The arguments take ${bytes} bytes; maxArgumentBytes is ${maxArgumentBytes}. Send a reference to the data, or raise it.`;
    return { because: "too_large", detail };
  }
  return { arguments: copied.value, canonical };
}

export function prepare(
  runtime: Runtime,
  keys: Keyring,
  catalog: Catalog,
  call: ToolCall,
  policy: ToolPolicy,
  read: ReadArguments,
): PreparedCall | Refusal {
  checkPointers(catalog, policy, call);
  checkIdentity(call);
  const place: Place = { tenant: call.tenant ?? "", server: call.server, tool: call.tool };
  const digest = argumentsDigest(keys, place, read.canonical);
  const problem = check(policy, catalog, call, read.arguments, digest);
  if (problem) return problem;
  const group = groupOf(keys, place);
  const principal = call.principal === undefined ? undefined : principalDigest(keys, call.principal);
  const leg = call.leg && questionDigest(keys, { tag: group.tag, principal, digest }, stateOf(call.leg));
  const identity = identityOf(call);
  // A leg without an identity of its own is known by what it answers: its repeat is the same one.
  const byQuestion = leg !== undefined && identity.rank === 3;
  const id = byQuestion ? legIdOf(keys, group.tag, leg) : operationIdOf(keys, place, group.tag, identity);
  const issuedAt = issueTime(runtime, call);
  const thread = call.threadId || call.runId || undefined;
  return defined<PreparedCall>({
    call,
    policy,
    place,
    group,
    id,
    rank: identity.rank,
    arguments: read.arguments,
    digest,
    fingerprint: policy.perCall
      ? undefined
      : fingerprintOf(keys, place, call.principal ?? "", read.arguments, read.canonical, policy),
    principal,
    thread: thread === undefined ? undefined : threadDigest(keys, place, thread),
    issuedAt,
    leg,
    definition: catalog.live(call.server, call.tool, principal) ?? undefined,
  });
}

/** A pointer that names nothing makes another identity than the operator meant, keeps a secret, or doubts every answer. */
function checkPointers(catalog: Catalog, policy: ToolPolicy, { server, tool }: ToolCall): void {
  const wrong = catalog.misfit(server, tool, policy);
  if (wrong === undefined) return;
  const at = policy.rule === undefined ? "" : `when.${policy.rule}.`;
  const text = `servers.${server}.tools.${tool}.${at}${wrong}. Correct the pointer; nothing was sent.`;
  throw new IndoubtError("CONFIG_INVALID", text, { details: { server, tool } });
}

const TEXTS = [
  "operationId",
  "confirmRepeatOf",
  "runId",
  "threadId",
  "turnId",
  "toolCallId",
  "principal",
  "tenant",
] as const;
/** Where a framework knows none, it may give null. */
const MAY_BE_NULL: readonly (typeof TEXTS)[number][] = ["runId", "threadId", "turnId", "toolCallId"];

/** Programs without types call, too: what is no identity would be the same one for every call, or no issue time at all. */
function checkIdentity(call: ToolCall): void {
  const wrong = TEXTS.find((name) => {
    const given: unknown = call[name];
    const isAbsent = given === undefined || (given === null && MAY_BE_NULL.includes(name));
    return !isAbsent && typeof given !== "string";
  });
  if (wrong !== undefined) throw noIdentity(wrong, "is not a text");
  if (call.operationId === "") throw noIdentity("operationId", "is empty: it would be the same for every call");
  const { issuedAt } = call;
  if (issuedAt !== undefined && !Number.isFinite(issuedAt))
    throw noIdentity("issuedAt", "is not a time in ms since 1970");
}

const noIdentity = (name: string, problem: string): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", `${name} ${problem}. Correct it or leave it out; nothing was sent.`);

/** A clock that is ahead must not stretch a contract's window: nothing was issued in the future. */
function issueTime(runtime: Runtime, call: ToolCall): Instant | undefined {
  const told = call.issuedAt ?? (call.operationId === undefined ? undefined : issueTimeOf(call.operationId));
  return told === undefined ? undefined : Math.min(told, runtime.storeNow());
}

const stateOf = ({ requestState }: Leg): Question => ({ kind: "state", state: requestState });

/** Digest of the visit to a page that a server may have asked for: the same call again goes on after it. */
export const visitOf = (keys: Keyring, { group, principal, digest }: PreparedCall): string =>
  questionDigest(keys, { tag: group.tag, principal, digest }, { kind: "visit" });

function identityOf(call: ToolCall): IdentityValue {
  if (call.operationId !== undefined) return { rank: 1, operationId: call.operationId };
  // An empty id names nothing: all calls without one would be the same call.
  const run = call.runId || call.threadId;
  if (run && call.toolCallId) {
    return { rank: 2, run, turn: call.turnId ?? "", toolCallId: call.toolCallId };
  }
  return { rank: 3, fresh: freshBytes(17) };
}

function check(
  policy: ToolPolicy,
  catalog: Catalog,
  call: ToolCall,
  args: JsonObject,
  digest: string,
): Refusal | undefined {
  if (call.expect !== undefined && call.expect !== digest) {
    return { because: "not_as_shown", detail: "Show the call again with guard.describeCall and ask again." };
  }
  if (call.confirmRepeatOf !== undefined && call.operationId === undefined) {
    return { because: "confirm_repeat", detail: "A deliberate repeat needs a new operationId beside confirmRepeatOf." };
  }
  const complaint = policy.validateArguments ? catalog.complaint(call.server, call.tool, args) : undefined;
  return complaint === undefined ? undefined : { because: "invalid_arguments", detail: complaint };
}
