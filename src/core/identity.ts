/**
 * Identity of calls: keyed digests, operation ids and dedup keys. Deterministic: the same identity gives the same id and
 * the same key on every machine that holds the secret, also after the store was lost.
 */
import { createHmac } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";
import { readPointer, withoutPointers } from "./pointer.ts";
import type { JsonObject, JsonValue } from "./terms.ts";

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
