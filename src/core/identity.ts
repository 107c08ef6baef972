/**
 * Identity of calls: canonical form, keyed digests, operation ids and dedup keys. Deterministic: the same identity
 * gives the same id and the same key on every machine that holds the secret, also after the store was lost.
 */
import { createHmac } from "node:crypto";
import { readPointer, withoutPointers } from "./pointer.ts";
import type { JsonObject, JsonValue } from "./terms.ts";

/** RFC 8785 form of a value that is already plain JSON. For identity only, never sent. */
export function canonicalJson(value: JsonValue): string {
  const ordered = inOrder(value);
  return ordered === undefined ? spelledOut(value) : JSON.stringify(ordered);
}

/** Object names that JavaScript itself puts in another place than the one where they were written. */
const OUT_OF_PLACE = /^(\d|__proto__$)/;

/**
 * The value with its names in order, so that JSON.stringify writes the canonical form: several times faster than code
 * of our own. Parts that already are in order are taken as they are. Undefined where an object cannot keep the order.
 */
function inOrder(value: JsonValue): JsonValue | undefined {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return itemsInOrder(value);
  const names = Object.keys(value);
  let isSame = true;
  for (const [index, name] of names.entries()) {
    if (OUT_OF_PLACE.test(name)) return undefined;
    if (index > 0 && name < (names[index - 1] as string)) isSame = false;
  }
  if (!isSame) names.sort();
  const ordered: JsonObject = {};
  for (const name of names) {
    const item = inOrder(value[name] as JsonValue);
    if (item === undefined) return undefined;
    if (item !== value[name]) isSame = false;
    ordered[name] = item;
  }
  return isSame ? value : ordered;
}

function itemsInOrder(items: JsonValue[]): JsonValue | undefined {
  const ordered: JsonValue[] = [];
  for (const item of items) {
    const inside = inOrder(item);
    if (inside === undefined) return undefined;
    ordered.push(inside);
  }
  return ordered;
}

function spelledOut(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(spelledOut).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${spelledOut(value[name] as JsonValue)}`).join(",")}}`;
}

/** Why a value cannot be sent as JSON without changing its meaning. */
export interface NotJson {
  readonly at: string;
  readonly what: string;
  readonly cure: string;
}

export type Copied = { readonly kind: "json"; readonly value: JsonObject } | ({ readonly kind: "not_json" } & NotJson);

const MAX_DEPTH = 200;

/** A deep copy of the arguments as they will be sent: the caller may change its own object afterwards. */
export function copyArguments(value: unknown): Copied {
  const problem: { found?: NotJson } = {};
  const copy = readValue(value ?? {}, problem);
  if (problem.found) return { kind: "not_json", ...problem.found, at: problem.found.at || "/" };
  if (typeof copy !== "object" || copy === null || Array.isArray(copy)) {
    return { kind: "not_json", at: "", what: "not an object", cure: "Pass the arguments as one JSON object." };
  }
  return { kind: "json", value: copy };
}

function readValue(value: unknown, problem: { found?: NotJson }): JsonValue {
  try {
    return copyValue(value, 0, [], problem);
  } catch {
    problem.found ??= {
      at: "/",
      what: "a getter or toJSON that throws",
      cure: "Convert it to plain JSON before the call.",
    };
    return null;
  }
}

/** The place of a problem is told on the way out, so that a sound value costs no path. */
function copyValue(value: unknown, depth: number, path: object[], problem: { found?: NotJson }): JsonValue {
  const fail = (what: string, cure: string): JsonValue => {
    problem.found ??= { at: "", what, cure };
    return null;
  };
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : fail("a string with a lone surrogate", "Repair the text encoding.");
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : fail(String(value), "Send a finite number or leave the field out.");
    case "bigint":
      return fail("a BigInt", "Send it as a string, or as a number if it is below 2^53.");
    case "object":
      break;
    default:
      return fail(typeof value, "Leave the field out or use null.");
  }
  if (value === null) return null;
  if (depth > MAX_DEPTH) return fail(`nested deeper than ${MAX_DEPTH}`, "Flatten the arguments.");
  if (path.includes(value)) return fail("a cycle", "Break the reference to an enclosing object.");
  if (!Array.isArray(value)) {
    if ("toJSON" in value && typeof value.toJSON === "function") {
      return copyValue(value.toJSON(), depth + 1, path, problem);
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      return fail(`a ${prototype.constructor?.name ?? "class"} instance`, "Convert it to plain JSON before the call.");
    }
  }
  path.push(value);
  const copy = Array.isArray(value) ? copyItems(value, depth, path, problem) : copyFields(value, depth, path, problem);
  path.pop();
  return copy;
}

/** A hole is undefined, and is told as such. */
function copyItems(items: unknown[], depth: number, path: object[], problem: { found?: NotJson }): JsonValue {
  const copy: JsonValue[] = [];
  for (let index = 0; index < items.length; index += 1) {
    copy.push(copyValue(items[index], depth + 1, path, problem));
    if (problem.found) return within(`${index}`, problem);
  }
  return copy;
}

function copyFields(fields: object, depth: number, path: object[], problem: { found?: NotJson }): JsonValue {
  const copy: JsonObject = {};
  for (const name of Object.keys(fields)) {
    if (!name.isWellFormed()) {
      problem.found = { at: "", what: "a name with a lone surrogate", cure: "Repair the text encoding." };
      return null;
    }
    const copied = copyValue((fields as JsonObject)[name], depth + 1, path, problem);
    if (problem.found) return within(name, problem);
    if (name === "__proto__") Object.defineProperty(copy, name, { ...AS_FIELD, value: copied });
    else copy[name] = copied;
  }
  return copy;
}

/** Assigning to this name would set the prototype. */
const AS_FIELD = { enumerable: true, writable: true, configurable: true };

function within(name: string, problem: { found?: NotJson }): null {
  const { at, ...rest } = problem.found as NotJson;
  problem.found = { ...rest, at: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}${at}` };
  return null;
}

/** Subkeys for one tenant, one per purpose, so that no digest can stand for another. */
export interface Keyring {
  /** Short public name of the secret. */
  readonly id: string;
  readonly namespace: string;
  derive(purpose: string): Buffer;
}

export function keyring(secret: Uint8Array, namespace: string): Keyring {
  const cache = new Map<string, Buffer>();
  const hmac = (text: string) => createHmac("sha256", secret).update(text).digest();
  return {
    id: hmac("indoubt key id").toString("base64url").slice(0, 6),
    namespace,
    derive(purpose) {
      let key = cache.get(purpose);
      if (!key) {
        key = hmac(`indoubt ${purpose}`);
        if (cache.size < 10_000) cache.set(purpose, key);
      }
      return key;
    },
  };
}

const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";
function base32(bytes: Uint8Array, length: number): string {
  let out = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5 && out.length < length) {
      out += BASE32[(value >>> (bits - 5)) & 31];
      bits -= 5;
    }
    value &= (1 << bits) - 1;
  }
  return out;
}

const digest = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const short = (key: Buffer, text: string, length: number): string =>
  createHmac("sha256", key).update(text).digest("base64url").slice(0, length);

/** Whose call of which tool: everything of one group lives together in the store. */
export interface Place {
  readonly tenant: string;
  readonly server: string;
  readonly tool: string;
}

export interface GroupNames {
  readonly tag: string;
  readonly tenant: string;
  readonly server: string;
  readonly tool: string;
}

const MOST_GROUPS = 10_000;
const groups = new WeakMap<Keyring, Map<string, GroupNames>>();

/** The same few groups are named by every call: their digests are kept. */
export function groupOf(keys: Keyring, place: Place): GroupNames {
  const known = groups.get(keys) ?? new Map<string, GroupNames>();
  groups.set(keys, known);
  const { tenant, server, tool } = place;
  const name = JSON.stringify([keys.namespace, tenant, server, tool]);
  const found = known.get(name);
  if (found) return found;
  const tag = base32(digest(keys.derive("group"), name), 10);
  const group = { tag, tenant: short(keys.derive("tenant"), tenant, 8), server, tool };
  if (known.size < MOST_GROUPS) known.set(name, group);
  return group;
}

/** The value of an identity, strongest first. */
export type IdentityValue =
  | { readonly rank: 1; readonly operationId: string }
  | { readonly rank: 2; readonly run: string; readonly turn: string; readonly toolCallId: string }
  | { readonly rank: 3; readonly fresh: Uint8Array };

/** `<group tag>_<26 characters>`: the same for the same identity of ranks 1 and 2, fresh for rank 3. */
export function operationIdOf(keys: Keyring, place: Place, tag: string, value: IdentityValue): string {
  if (value.rank === 3) return `${tag}_${base32(value.fresh, 26)}`;
  const parts = value.rank === 1 ? [1, value.operationId] : [2, value.run, value.turn, value.toolCallId];
  const text = JSON.stringify([keys.namespace, place.tenant, place.server, place.tool, ...parts]);
  return `${tag}_${base32(digest(keys.derive("operation"), text), 26)}`;
}

/** Digest of all arguments: one operation id, one digest (I10). 96 bits. */
export function argumentsDigest(keys: Keyring, place: Place, canonical: string): string {
  return short(keys.derive(`arguments ${place.tenant}`), canonical, 16);
}

/** What a destination asked for: to come again with this state, or (`visit`) after a visit to a page. */
export type Question = { readonly kind: "state"; readonly state: JsonValue | undefined } | { readonly kind: "visit" };

/** Whose call of what, by its digests. */
export interface Asked {
  readonly tag: string;
  readonly principal: string | undefined;
  /** Of all arguments. */
  readonly digest: string;
}

/** Digest of a question and of the call that it was asked about. The state itself is the server's and may be a secret. 96 bits. */
export function questionDigest(
  keys: Keyring,
  { tag, principal = "", digest: call }: Asked,
  question: Question,
): string {
  const state = question.kind === "state" && question.state !== undefined ? canonicalJson(question.state) : "";
  return short(keys.derive("question"), JSON.stringify([tag, principal, call, question.kind]) + state, 16);
}

/** The id under which the answer to a question is on record once its operation is closed. */
export const legIdOf = (keys: Keyring, tag: string, question: string): string =>
  `${tag}_${base32(digest(keys.derive("leg"), question), 26)}`;

export interface FingerprintRule {
  /** Pointers that name the effect; absent, or none of them in the arguments: all arguments. */
  readonly identityArgs?: readonly string[];
  /** Pointers left out when all arguments count. */
  readonly volatileArgs?: readonly string[];
}

/** Digest of what makes two calls the same wanted effect. 128 bits. */
export function fingerprintOf(
  keys: Keyring,
  place: Place,
  principal: string,
  args: JsonObject,
  canonical: string,
  rule: FingerprintRule,
): string {
  return short(
    keys.derive(`fingerprint ${place.tenant}`),
    `${JSON.stringify([principal, place.server, place.tool])}${identityText(args, canonical, rule)}`,
    22,
  );
}

function identityText(args: JsonObject, canonical: string, { identityArgs, volatileArgs }: FingerprintRule): string {
  const named = identityArgs?.map((at) => [at, readPointer(args, at)] as const);
  // Where none of them is there, the pointers are misspelt: one doubt would hold every call of the tool.
  if (named?.some(([, value]) => value !== undefined)) {
    return canonicalJson(named.map(([at, value]) => [at, value ?? null]));
  }
  return volatileArgs?.length ? canonicalJson(withoutPointers(args, volatileArgs)) : canonical;
}

export const threadDigest = (keys: Keyring, place: Place, thread: string): string =>
  short(keys.derive(`thread ${place.tenant}`), thread, 8);

export const principalDigest = (keys: Keyring, principal: string): string =>
  short(keys.derive("principal"), principal, 8);

/** The application-level dedup key for the destination: a UUIDv8 that the operation id alone decides. */
export function dedupKey(keys: Keyring, operation: string): string {
  const bytes = digest(keys.derive("dedup"), operation).subarray(0, 16);
  bytes[6] = (((bytes[6] as number) & 0x0f) | 0x80) as number;
  bytes[8] = (((bytes[8] as number) & 0x3f) | 0x80) as number;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Issue time inside a UUIDv7, in ms since 1970; undefined for any other text. */
export function issueTimeOf(operationId: string): number | undefined {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(operationId);
  return match ? Number.parseInt(`${match[1]}${match[2]}`, 16) : undefined;
}
