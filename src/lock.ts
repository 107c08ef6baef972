/**
 * `indoubt.lock.json`: the baseline that an operator reviewed, per server. Parsed and built here, read and written by
 * surfaces. A digest over the content makes an edit by hand visible.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import {
  type LiveDefinition,
  otherServer,
  type Release,
  type ReviewedCatalogue,
  type ReviewedServer,
  removals,
  reviewTool,
  type ServerIdentity,
  shareable,
  type Tombstone,
  type ToolReview,
} from "./core/baseline.ts";
import { canonicalJson } from "./core/canonical-json.ts";
import { toolFingerprint } from "./core/contract.ts";
import type { JsonValue } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";

export interface Lock {
  readonly version: 1;
  /** Over `servers`. */
  readonly digest: string;
  readonly servers: Readonly<Record<string, ReviewedServer>>;
}

/** What an operator looked at and accepted. */
export interface CatalogueReview {
  /** The configured name. */
  readonly server: string;
  readonly identity: ServerIdentity;
  /** Whose sign-in saw this list, where lists differ by sign-in. */
  readonly principal?: string | undefined;
  readonly release?: Release | undefined;
  /** The whole listing. */
  readonly tools: readonly LiveDefinition[];
  /** The tools that were accepted; the others keep their old review. @default all */
  readonly accepted?: readonly string[] | undefined;
  readonly by: string;
  /** ISO date. */
  readonly on: string;
}

const name = z.string().min(1);
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const review = z.strictObject({ by: name, on: day });
const identity = z.union([
  z.strictObject({ url: z.url() }),
  z.strictObject({ command: name, args: z.array(z.string()).optional(), package: z.string().optional() }),
]);
const tool = z.strictObject({
  fingerprint: name,
  words: name,
  definition: z.strictObject({
    name,
    inputSchema: z.json().optional(),
    outputSchema: z.json().optional(),
    annotations: z.json().optional(),
  }),
  review,
});
const catalogue = z.strictObject({
  principal: name.optional(),
  tools: z.record(name, tool),
  tombstones: z.record(name, z.strictObject({ fingerprint: name, review })),
});
const lockSchema = z.strictObject({
  version: z.literal(1),
  digest: name,
  servers: z.record(
    name,
    z.strictObject({
      identity,
      release: z.strictObject({ name: z.string(), version: z.string() }).optional(),
      catalogues: z.array(catalogue).min(1),
    }),
  ),
});

const CURE = "Do not edit it by hand: run `indoubt tools review`, or take the file from version control.";

/**
 * @param input the parsed JSON of `indoubt.lock.json`
 * @throws IndoubtError CONFIG_INVALID when it is no lock, of another version, or was edited by hand
 */
export function parseLock(input: unknown): Lock {
  const parsed = lockSchema.safeParse(input);
  if (!parsed.success) {
    const where = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "(top level)"}: ${message}`);
    throw refused(`is not a lock file of this version:\n${where.map((line) => `  ${line}`).join("\n")}`);
  }
  // As it was read: the digest is over all of it.
  const lock = input as Lock;
  if (lock.digest !== digestOf(lock.servers)) throw refused("was changed after the review: its digest does not fit");
  for (const [server, { catalogues }] of Object.entries(lock.servers)) {
    for (const { tools } of catalogues) for (const [key, entry] of Object.entries(tools)) checkTool(server, key, entry);
  }
  return lock;
}

function checkTool(server: string, key: string, { fingerprint, definition }: ReviewedCatalogue["tools"][string]): void {
  if (definition.name === key && toolFingerprint(definition) === fingerprint) return;
  throw refused(`servers.${server}: the fingerprint of "${key}" is not that of its definition`);
}

const refused = (why: string): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", `The lock (indoubt.lock.json) ${why}. ${CURE}`);

const digestOf = (servers: Lock["servers"]): string =>
  createHash("sha256")
    .update(canonicalJson(JSON.parse(JSON.stringify(servers)) as JsonValue))
    .digest("base64url");

const sealed = (servers: Lock["servers"]): Lock => ({ version: 1, digest: digestOf(servers), servers });

/** A lock with this review in it. Tools that went away leave a tombstone; what was not accepted keeps its old review. */
export function reviewedLock(previous: Lock | undefined, given: CatalogueReview): Lock {
  const before = previous && own(previous.servers, given.server);
  const elsewhere = before && otherServer(before.identity, given.identity) !== undefined;
  // What another sign-in saw, it saw at the server that was reviewed before.
  const others = before?.catalogues.filter(({ principal }) => principal !== given.principal && !elsewhere) ?? [];
  const old = before?.catalogues.find(({ principal }) => principal === given.principal);
  const { catalogue, kept } = reviewedCatalogue(old, given);
  if (before && kept > 0) refuseMoved(before, given);
  const server: ReviewedServer = {
    identity: shareable(given.identity),
    ...(given.release && { release: given.release }),
    catalogues: [...others, catalogue],
  };
  return sealed({ ...previous?.servers, [given.server]: server });
}

/** What keeps its old review was not looked at here: it must not come along to another place. */
function refuseMoved({ identity, release }: ReviewedServer, given: CatalogueReview): void {
  const now = given.release;
  const moved = release && now && (release.name !== now.name || release.version !== now.version);
  const what = otherServer(identity, given.identity) ? "another address or program" : moved && "another release";
  if (!what) return;
  const text = `"${given.server}" is ${what} than the one that was reviewed, so a review of some of its tools would vouch for the others. Review all of them.`;
  throw new IndoubtError("CONFIG_INVALID", text);
}

function reviewedCatalogue(
  old: ReviewedCatalogue | undefined,
  given: CatalogueReview,
): { readonly catalogue: ReviewedCatalogue; readonly kept: number } {
  const review: ToolReview = { by: given.by, on: given.on };
  const accepted = new Set(given.accepted ?? given.tools.map(({ name }) => name));
  const taken = given.tools.filter(({ name }) => accepted.has(name));
  const gone = old ? removals(old, given.tools) : [];
  const kept = Object.entries(old?.tools ?? {}).filter(
    ([name]) => !accepted.has(name) && !gone.some(({ tool }) => tool === name),
  );
  const buried = gone.map(({ tool, reviewed = "" }): [string, Tombstone] => [tool, { fingerprint: reviewed, review }]);
  const stones = Object.entries(old?.tombstones ?? {}).filter(([name]) => !accepted.has(name));
  const catalogue = {
    ...(given.principal !== undefined && { principal: given.principal }),
    tools: sorted([...kept, ...taken.map((definition) => [definition.name, reviewTool(definition, review)] as const)]),
    tombstones: sorted([...stones, ...buried]),
  };
  return { catalogue, kept: kept.length };
}

const sorted = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** The catalogue for a sign-in: its own, else the one for all. */
export function catalogueFor(server: ReviewedServer | undefined, principal: string | undefined) {
  const own = server?.catalogues.find((each) => each.principal === principal);
  return own ?? server?.catalogues.find((each) => each.principal === undefined);
}
