/** What the servers' tool lists say now, per sign-in: for argument checks, output schemas and the pins of contracts. */
import type { z } from "zod";
import { impossiblePointer, keyProblem, notThere } from "./config-pointers.ts";
import type { Release } from "./core/baseline.ts";
import { toolFingerprint } from "./core/contract.ts";
import { impossibleAt, zodOf } from "./core/schema-pointer.ts";
import type { JsonObject } from "./core/terms.ts";
import type { ListPage, ToolDefinition } from "./guard-api.ts";
import type { ToolPolicy } from "./policy.ts";

export interface Catalog {
  /** @returns the whole listing, if this page completed one; `outdated`: it was asked for before a change was announced */
  seen(
    server: string,
    tools: readonly ToolDefinition[],
    page?: ListPage,
  ): readonly ToolDefinition[] | "outdated" | undefined;
  /** How often the server has said that its list changed. */
  changes(server: string): number;
  /** The server said that its list has changed: what was seen is not what is there, until it is listed again. */
  changed(server: string): void;
  /**
   * Fingerprint of the live definition, as the owner's connection sees it (a digest of the principal; undefined: of
   * nobody in particular). null: the whole list was seen without it; undefined: not known.
   */
  live(server: string, tool: string, owner?: string): string | null | undefined;
  hasOutputSchema(server: string, tool: string): boolean;
  definition(server: string, tool: string): ToolDefinition | undefined;
  /** What one sign-in sees, in the order of the server. */
  listed(
    server: string,
    principal: string | undefined,
  ): { readonly tools: readonly ToolDefinition[]; readonly whole: boolean; readonly release?: Release | undefined };
  /** The first pointer that the tool's input schema cannot have, in words. */
  unknownPointer(server: string, tool: string, pointers: readonly string[]): string | undefined;
  /** What of the policy does not fit the tool's input schema, in words with the option's name. */
  misfit(server: string, tool: string, policy: ToolPolicy): string | undefined;
  /** Why the arguments do not fit the tool's input schema; undefined when they fit or no usable schema is known. */
  complaint(server: string, tool: string, args: JsonObject): string | undefined;
}

interface Known {
  readonly definition: ToolDefinition;
  readonly fingerprint: string;
  schema?: z.ZodType | null;
}

/** The tools that one sign-in sees. */
interface Listing {
  readonly principal: string | undefined;
  release?: Release | undefined;
  tools: Map<string, Known>;
  /** Every page of one listing was seen, and nothing changed since. */
  whole: boolean;
  /** Cursor of a next page -> the tools of the pages before it. */
  readonly pages: Map<string, Map<string, Known>>;
  /** What was there before the server said that its list changed. */
  before: Map<string, Known>;
}

const MOST_CURSORS = 50;

/** @param digestOf how records name a principal */
export function catalog(digestOf: (principal: string) => string = (principal) => principal): Catalog {
  const servers = new Map<string, Listing[]>();
  const announced = new Map<string, number>();
  const changes = (server: string): number => announced.get(server) ?? 0;
  const all = (server: string): readonly Listing[] => servers.get(server) ?? [];
  // Of several sign-ins the newest word counts: schemas hardly differ by sign-in.
  const find = (server: string, tool: string): Known | undefined =>
    all(server)
      .map(({ tools }) => tools.get(tool))
      .find((known) => known !== undefined);

  function listingOf(server: string, principal: string | undefined): Listing {
    const others = all(server).filter((listing) => listing.principal !== principal);
    const own = all(server).find((listing) => listing.principal === principal) ?? {
      principal,
      tools: new Map(),
      whole: false,
      pages: new Map(),
      before: new Map(),
    };
    servers.set(server, [own, ...others]);
    return own;
  }

  return {
    seen(server, tools, page) {
      const listing = listingOf(server, page?.principal);
      if (page?.asked === undefined || page.asked === changes(server)) return add(listing, tools, page);
      for (const definition of tools) listing.before.set(definition.name, knownOf(listing, definition));
      return "outdated";
    },
    changes,
    changed(server) {
      announced.set(server, changes(server) + 1);
      for (const listing of all(server)) forget(listing);
    },
    live(server, tool, owner) {
      const listing = listingFor(all(server), owner, digestOf);
      return listing && (listing.tools.get(tool)?.fingerprint ?? (listing.whole ? null : undefined));
    },
    hasOutputSchema: (server, tool) =>
      (find(server, tool) ?? all(server)[0]?.before.get(tool))?.definition.outputSchema !== undefined,
    definition: (server, tool) => find(server, tool)?.definition,
    listed(server, principal) {
      const own = all(server).find((listing) => listing.principal === principal);
      const listing = own ?? all(server).find((each) => each.principal === undefined);
      if (!listing) return { tools: [], whole: false };
      const { tools, whole, release } = listing;
      return { tools: [...tools.values()].map(({ definition }) => definition), whole, release };
    },
    unknownPointer(server, tool, pointers) {
      const known = find(server, tool);
      const wrong = known && pointers.find((at) => impossibleAt(known.definition.inputSchema, at));
      return wrong === undefined ? undefined : notThere(wrong, tool);
    },
    misfit(server, tool, policy) {
      const known = find(server, tool);
      if (!known) return undefined;
      const wrong = impossiblePointer(policy, known.definition.inputSchema);
      return wrong
        ? `${wrong.option}: ${notThere(wrong.pointer, tool)}`
        : keyProblem(policy, known.definition.inputSchema);
    },
    complaint: (server, tool, args) => complaintOf(find(server, tool), args),
  };
}

function add(listing: Listing, tools: readonly ToolDefinition[], page: ListPage | undefined) {
  const known = tools.map((definition) => [definition.name, knownOf(listing, definition)] as const);
  for (const [name, entry] of known) listing.tools.set(name, entry);
  if (!page) return undefined;
  listing.release = page.release ?? listing.release;
  const earlier = page.cursor === undefined ? new Map<string, Known>() : listing.pages.get(page.cursor);
  if (!earlier) return undefined;
  const soFar = new Map([...earlier, ...known]);
  if (page.nextCursor !== undefined) {
    if (listing.pages.size >= MOST_CURSORS) listing.pages.clear();
    listing.pages.set(page.nextCursor, soFar);
    return undefined;
  }
  listing.pages.clear();
  listing.tools = soFar;
  listing.whole = true;
  return [...soFar.values()].map(({ definition }) => definition);
}

/** Fingerprints cost: a definition that is the same as before keeps its own. */
function knownOf(listing: Listing, definition: ToolDefinition): Known {
  const fingerprint = toolFingerprint(definition);
  const before = listing.tools.get(definition.name);
  return before?.fingerprint === fingerprint ? { ...before, definition } : { definition, fingerprint };
}

function forget(listing: Listing): void {
  listing.before = new Map([...listing.before, ...listing.tools]);
  listing.tools = new Map();
  listing.whole = false;
  listing.pages.clear();
}

/** The same rule as for connections: another principal's list may be another list. */
function listingFor(
  listings: readonly Listing[],
  owner: string | undefined,
  digestOf: (principal: string) => string,
): Listing | undefined {
  const unnamed = listings.find(({ principal }) => principal === undefined);
  if (owner === undefined) return unnamed ?? (listings.length === 1 ? listings[0] : undefined);
  const own = listings.find(({ principal }) => principal !== undefined && digestOf(principal) === owner);
  return own ?? (listings.length === 1 ? unnamed : undefined);
}

function complaintOf(known: Known | undefined, args: JsonObject): string | undefined {
  if (!known) return undefined;
  known.schema ??= zodOf(known.definition.inputSchema);
  const checked = known.schema?.safeParse(args);
  if (!checked || checked.success) return undefined;
  return checked.error.issues
    .map((issue) => `/${issue.path.map(String).join("/")}: ${issue.message}`)
    .slice(0, 5)
    .join("; ");
}
