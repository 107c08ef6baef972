/**
 * What was reviewed of a server and its tools, and how what is there now departs from it. A departure takes trust away,
 * it never gives any.
 */
import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";
import { type ReviewedDefinition, toolFingerprint } from "./contract.ts";
import { sharedAddress, withoutSecrets } from "./shareable.ts";
import type { JsonValue } from "./terms.ts";

/** What can be verified of a server: where it is reached. What it says of itself is no part of it. */
export type ServerIdentity =
  | { readonly url: string }
  | {
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      /** Digest of the program's files. */
      readonly package?: string | undefined;
    };

/** As it may stand in files that are shared and on screens. */
export const shareable = (identity: ServerIdentity): ServerIdentity => {
  if ("url" in identity) return { url: sharedAddress(identity.url) };
  return identity.args ? { ...identity, args: withoutSecrets(identity.args) } : identity;
};

/** What the server calls itself: a claim, which can only take trust away. */
export interface Release {
  readonly name: string;
  readonly version: string;
}

export interface ToolReview {
  readonly by: string;
  /** ISO date. */
  readonly on: string;
}

export interface ReviewedTool {
  readonly fingerprint: string;
  /** Digest of title and description: words are no terms, but a change of them is told. */
  readonly words: string;
  readonly definition: ReviewedDefinition;
  readonly review: ToolReview;
}

/** A tool that was reviewed and then went away. Its return is drift, whatever it looks like. */
export interface Tombstone {
  readonly fingerprint: string;
  readonly review: ToolReview;
}

/** The tools that one sign-in sees. Lists may differ by authorization. */
export interface ReviewedCatalogue {
  /** The operator's name for the sign-in. Absent: one for all. */
  readonly principal?: string | undefined;
  readonly tools: Readonly<Record<string, ReviewedTool>>;
  readonly tombstones: Readonly<Record<string, Tombstone>>;
}

export interface ReviewedServer {
  readonly identity: ServerIdentity;
  readonly release?: Release | undefined;
  readonly catalogues: readonly ReviewedCatalogue[];
}

/** `any`: a changed word is drift too. `schema`: schemas and hints. `off`: nothing is compared. */
export type Strictness = "any" | "schema" | "off";

/** A definition as a server publishes it. */
export interface LiveDefinition extends ReviewedDefinition {
  readonly title?: unknown;
  readonly description?: unknown;
}

export type DriftKind = "changed" | "reworded" | "added" | "removed" | "renamed" | "readded";

export interface FieldChange {
  /** JSON Pointer in the definition. */
  readonly at: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

export interface Drift {
  readonly tool: string;
  readonly kind: DriftKind;
  /** Fingerprints. */
  readonly reviewed?: string;
  readonly seen?: string;
  readonly fields: readonly FieldChange[];
  /** With `renamed`: the tool that looks the same. */
  readonly now?: string;
}

const sha = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Digest of the words that a server uses for a tool. */
export function wordsDigest({ title, description }: LiveDefinition): string {
  return sha(JSON.stringify([title ?? null, description ?? null])).slice(0, 12);
}

const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value ?? null)) as JsonValue;

/** The parts that a review covers. */
export function reviewedPart({ name, inputSchema, outputSchema, annotations }: LiveDefinition): ReviewedDefinition {
  return {
    name,
    ...(inputSchema !== undefined && { inputSchema: plain(inputSchema) }),
    ...(outputSchema !== undefined && { outputSchema: plain(outputSchema) }),
    ...(annotations !== undefined && { annotations: plain(annotations) }),
  };
}

export function reviewTool(definition: LiveDefinition, review: ToolReview): ReviewedTool {
  return {
    fingerprint: toolFingerprint(definition),
    words: wordsDigest(definition),
    definition: reviewedPart(definition),
    review,
  };
}

/** How one tool that is listed now departs from its review; undefined: not at all. */
export function compareTool(
  catalogue: Pick<ReviewedCatalogue, "tools" | "tombstones">,
  live: LiveDefinition,
): Drift | undefined {
  const seen = toolFingerprint(live);
  const { name: tool } = live;
  const known = own(catalogue.tools, tool);
  if (!known) {
    const buried = own(catalogue.tombstones, tool);
    if (buried) return { tool, kind: "readded", reviewed: buried.fingerprint, seen, fields: [] };
    return { tool, kind: "added", seen, fields: [] };
  }
  const facts = { tool, reviewed: known.fingerprint, seen };
  if (known.fingerprint !== seen) {
    return { ...facts, kind: "changed", fields: changes(plain(known.definition), plain(reviewedPart(live)), "") };
  }
  return known.words === wordsDigest(live) ? undefined : { ...facts, kind: "reworded", fields: [] };
}

/** What a whole listing says, removals and renames included. */
export function compareCatalogue(
  catalogue: Pick<ReviewedCatalogue, "tools" | "tombstones">,
  live: readonly LiveDefinition[],
): readonly Drift[] {
  const there = live.flatMap((definition) => compareTool(catalogue, definition) ?? []);
  return [...there, ...removals(catalogue, live)];
}

/** Reviewed tools that a whole listing does not have. */
export function removals(
  { tools }: Pick<ReviewedCatalogue, "tools">,
  live: readonly LiveDefinition[],
): readonly Drift[] {
  const names = new Set(live.map(({ name }) => name));
  const strangers = live.filter(({ name }) => !Object.hasOwn(tools, name));
  return Object.entries(tools).flatMap(([tool, { fingerprint, definition }]): Drift[] => {
    if (names.has(tool)) return [];
    const twin = strangers.find((other) => toolFingerprint({ ...other, name: definition.name }) === fingerprint);
    const facts = { tool, reviewed: fingerprint, fields: [] };
    return [twin ? { ...facts, kind: "renamed", now: twin.name } : { ...facts, kind: "removed" }];
  });
}

/** Whether a departure takes trust away, or is only told. */
export function isDrift({ kind }: Pick<Drift, "kind">, strictness: Strictness): boolean {
  if (strictness === "off") return false;
  return kind === "reworded" ? strictness === "any" : true;
}

const MOST_CHANGES = 50;

function changes(before: JsonValue, after: JsonValue, at: string): FieldChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [{ at, before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const inside = names.flatMap((name): FieldChange[] => {
    const here = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const old = own(before, name);
    const now = own(after, name);
    if (old === undefined || now === undefined) {
      return [{ at: here, ...(old !== undefined && { before: old }), ...(now !== undefined && { after: now }) }];
    }
    return changes(old, now, here);
  });
  return inside.slice(0, MOST_CHANGES);
}

const isRecord = (value: JsonValue): value is { [name: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Why these are not the same server, in words; undefined: they are, as far as both say. */
export function otherServer(reviewed: ServerIdentity, seen: ServerIdentity): string | undefined {
  if ("url" in reviewed !== "url" in seen) return "one is reached by a url, the other is a command";
  if ("url" in reviewed && "url" in seen) {
    return sharedAddress(reviewed.url) === sharedAddress(seen.url)
      ? undefined
      : `${sharedAddress(reviewed.url)} was reviewed, this is ${sharedAddress(seen.url)}`;
  }
  if (!("command" in reviewed) || !("command" in seen)) return undefined;
  const line = ({ command, args = [] }: { command: string; args?: readonly string[] | undefined }) =>
    JSON.stringify([command, ...withoutSecrets(args)]);
  if (line(reviewed) !== line(seen)) return `${line(reviewed)} was reviewed, this is ${line(seen)}`;
  if (reviewed.package !== undefined && seen.package !== undefined && reviewed.package !== seen.package) {
    return `the program's files have changed: ${reviewed.package} was reviewed, this is ${seen.package}`;
  }
  return undefined;
}
