/** Sign-in tokens: who they belong to is found without telling by the time it took how much of one was right. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { invalid } from "../complaint.ts";

export type Role = "viewer" | "operator";

export interface SignInToken {
  /** Stands on the record as the actor of each decision. */
  readonly name: string;
  /** A viewer sees everything and decides nothing. */
  readonly role: Role;
  /** The token, at least 20 characters long; or `sha256:` and the hex digest of it, so that no file holds the token itself. */
  readonly token: string;
}

export interface Person {
  readonly name: string;
  readonly role: Role;
}

const SHORTEST = 20;
const DIGEST = /^sha256:([0-9a-f]{64})$/i;

/** @throws IndoubtError CONFIG_INVALID: never with the token in it */
export function checkTokens(tokens: readonly SignInToken[]): void {
  for (const [index, { name, role, token }] of tokens.entries()) {
    const problem = problemOf(name, role, token);
    if (problem) throw invalid(`tokens[${index}].${problem[0]}`, problem[1]);
  }
  const digests = tokens.map(({ token }) => digestOf(token).toString("hex"));
  if (new Set(digests).size < digests.length) throw invalid("tokens", "two people have the same token");
}

function problemOf(name: unknown, role: unknown, token: unknown): [path: string, cure: string] | undefined {
  if (typeof name !== "string" || name.trim() === "") return ["name", "a decision needs a name on the record"];
  if (role !== "viewer" && role !== "operator") return ["role", 'use "viewer" or "operator"'];
  if (typeof token !== "string") return ["token", "it is missing; is the environment variable set?"];
  if (token.startsWith("sha256:") && !DIGEST.test(token)) return ["token", "sha256: is followed by 64 hex digits"];
  if (token.length < SHORTEST) return ["token", `it is shorter than ${SHORTEST} characters`];
  return undefined;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

function digestOf(token: string): Buffer {
  const hex = DIGEST.exec(token)?.[1];
  return hex === undefined ? sha256(token) : Buffer.from(hex, "hex");
}

/** Compares with every token, always: the time says nothing about which one, or how much of it, fits. */
export function whoHas(tokens: readonly SignInToken[], given: string): Person | undefined {
  const digest = sha256(given);
  let found: Person | undefined;
  for (const { name, role, token } of tokens) {
    if (timingSafeEqual(digestOf(token), digest)) found = { name, role };
  }
  return found;
}

/** 256 random bits for a URL or a cookie. */
export const randomToken = (): string => randomBytes(32).toString("base64url");

export const sameText = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));

/** What a table may hold instead of the secret itself. */
export const fingerprintOf = (secret: string): string => sha256(secret).toString("base64url");

/** How a token stands in a file that does not hold the token itself. */
export const fingerprintHex = (token: string): string => sha256(token).toString("hex");
