/**
 * Compares what passes of the servers' tool lists with what was reviewed. A departure takes the contract and the read
 * declaration of its tool out of force, in every process, until a person has looked.
 */
import type { Catalog } from "./catalog.ts";
import {
  compareTool,
  type Drift,
  isDrift,
  otherServer,
  type ReviewedCatalogue,
  type ReviewedServer,
  removals,
  type ServerIdentity,
  type ToolReview,
} from "./core/baseline.ts";
import { toolFingerprint } from "./core/contract.ts";
import { driftWords } from "./core/drift-words.ts";
import { quoted } from "./core/fence.ts";
import { contradicted, readHints } from "./core/hints.ts";
import type { ListPage, ToolDefinition } from "./guard-api.ts";
import { catalogueFor } from "./lock.ts";
import { own, type ToolPolicies } from "./policy.ts";
import type { Runtime } from "./runtime.ts";
import { type Standing, sightIn } from "./standing.ts";

export interface DriftWatch {
  /** A page of a tool list passed by. */
  seen(server: string, tools: readonly ToolDefinition[], page?: ListPage): void;
  /** Where a connection of this process really went. */
  reached(server: string): ServerIdentity | undefined;
  /** Claims of the publisher that this process saw to be wrong, in words. */
  contradictions(server: string, tool: string): readonly string[];
  /** The destination showed effects of an operation: does a hint say otherwise? */
  observed(
    place: { readonly server: string; readonly tool: string; readonly operation: string },
    seen: { readonly effects: number; readonly sends: number },
  ): void;
  /** What can be told before any list was seen. */
  atStart(): void;
}

const MOST_TOLD = 10_000;

export function driftWatch(runtime: Runtime, catalog: Catalog, standing: Standing): DriftWatch {
  const { settings, events } = runtime;
  const told = new Set<string>();
  /** By tool: what this process has put on record. A person's word on it is not overruled by the same sight again. */
  const recorded = new Map<string, Set<string>>();
  const reached = new Map<string, ServerIdentity>();
  const wrong = new Map<string, readonly string[]>();

  const once = (...words: (string | undefined)[]): boolean => {
    const key = JSON.stringify(words);
    if (told.has(key)) return false;
    if (told.size < MOST_TOLD) told.add(key);
    return true;
  };

  function tell(server: string, principal: string | undefined, drift: Drift): void {
    const policies = settings.policies(server, drift.tool);
    const counts = isDrift(drift, policies.base.drift);
    const words = driftWords(drift);
    const suspends = counts && rests(policies);
    const { tool, kind, reviewed, seen, now } = drift;
    if (once(server, principal, tool, kind, seen))
      events.emit("drift", { server, tool, change: kind, words, suspends });
    const sight = JSON.stringify([principal, kind, seen]);
    const sights = recorded.get(JSON.stringify([server, tool])) ?? new Set();
    // Behind another suspension it is not on record: when that one is lifted, the next list tells it again.
    if (!suspends || sights.has(sight)) return;
    const detail = JSON.stringify({ kind, reviewed, seen, now, principal, words });
    if (!standing.withdraw({ server, tool, reason: "drift", actor: "indoubt", detail })) return;
    recorded.set(JSON.stringify([server, tool]), sights.add(sight));
  }

  /** A server that is not the reviewed one, or another release of it: everything that rests on the review. */
  function tellAll(server: string, reason: "other_server" | "release_changed", why: string): void {
    if (!once(server, reason, why)) return;
    for (const tool of Object.keys(own(settings.servers, server)?.tools ?? {})) {
      const policies = settings.policies(server, tool);
      const concerned = reason === "other_server" ? rests(policies) : policies.all.some(({ contract }) => contract);
      if (!concerned || policies.base.drift === "off") continue;
      standing.withdraw({
        server,
        tool,
        reason,
        actor: "indoubt",
        detail: JSON.stringify({ kind: reason, words: [why] }),
      });
    }
  }

  function compareServer(server: string, reviewed: ReviewedServer, page: ListPage): void {
    const other = page.identity && otherServer(reviewed.identity, page.identity);
    if (other) tellAll(server, "other_server", other);
    const { release } = reviewed;
    const now = page.release;
    if (!release || !now || (release.name === now.name && release.version === now.version)) return;
    const word = ({ name, version }: typeof now) => quoted(`${name} ${version}`);
    tellAll(server, "release_changed", `${word(release)} was reviewed, the server now says ${word(now)}`);
  }

  function compareTools(server: string, tools: readonly ToolDefinition[], { catalogue, principal }: Baseline): void {
    for (const definition of tools) {
      const { name } = definition;
      const policies = settings.policies(server, name);
      const compared = catalogue && compareTool(catalogue, definition);
      // A pin in the configuration is a review of its own.
      const drift =
        !compared || compared.kind === "added"
          ? (pinDrift(policies, definition) ?? unpinned(policies, compared))
          : compared;
      if (drift) tell(server, principal, drift);
      else {
        reviewedSince(server, definition, principal, own(catalogue?.tools, name)?.review).catch((error: unknown) =>
          events.emit("warning", { message: `${server}/${name} stays suspended for now: ${String(error)}` }),
        );
      }
    }
  }

  /** A list of another sign-in may well be shorter. */
  function compareWhole(
    server: string,
    whole: readonly ToolDefinition[],
    { catalogue, principal, named }: Baseline,
  ): void {
    if (named && catalogue?.principal !== principal) return;
    for (const drift of catalogue ? removals(catalogue, whole) : []) tell(server, principal, drift);
    if (!named) missing(server, catalogue, whole, principal);
  }

  /** Declarations that match no tool: a misspelt name, or a pinned tool that is gone. */
  function missing(
    server: string,
    catalogue: ReviewedCatalogue | undefined,
    whole: readonly ToolDefinition[],
    principal: string | undefined,
  ): void {
    const names = new Set(whole.map(({ name }) => name));
    for (const tool of Object.keys(own(settings.servers, server)?.tools ?? {})) {
      if (names.has(tool) || own(catalogue?.tools, tool)) continue;
      const { pin } = settings.policy(server, tool).contract ?? {};
      if (pin) tell(server, principal, { tool, kind: "removed", reviewed: pin.tool, fields: [] });
      if (!once(server, tool, "matches no tool")) continue;
      const message = `servers.${server}.tools.${tool} matches no tool of the server: what it declares protects nothing. Correct the name, or remove the entry.`;
      events.emit("warning", { message });
    }
  }

  /** The definition that was told as drift has been reviewed since: the new baseline says who did, and when. */
  async function reviewedSince(
    server: string,
    { name, ...rest }: ToolDefinition,
    principal: string | undefined,
    review: ToolReview | undefined,
  ) {
    const policy = settings.policy(server, name);
    const by = review?.by ?? policy.contract?.review.by;
    if (by === undefined || !(await standing.look(settings.sweepEvery))) return;
    const found = standing.find(server, name);
    if (found?.reason !== "drift" || found.actor !== "indoubt") return;
    const told = sightIn(found.detail);
    // What one sign-in's review covers says nothing of another's list.
    if (told.seen !== toolFingerprint({ name, ...rest }) || told.principal !== principal) return;
    if (!(await standing.lift(server, name, found))) return;
    recorded.delete(JSON.stringify([server, name]));
    events.emit("lifted", { server, tool: name, actor: by, reason: "the changed definition has been reviewed since" });
  }

  return {
    seen(server, tools, page) {
      const whole = catalog.seen(server, tools, page);
      const reviewed = own(settings.lock?.servers, server);
      if (page?.identity) reached.set(server, page.identity);
      if (reviewed && page) compareServer(server, reviewed, page);
      // Who answered is known all the same.
      if (whole === "outdated") return;
      const principal = page?.principal ?? own(settings.servers, server)?.principal;
      const named = page?.principal !== undefined;
      const baseline = { catalogue: catalogueFor(reviewed, principal), principal, named };
      compareTools(server, tools, baseline);
      if (whole) compareWhole(server, whole, baseline);
    },
    reached: (server) => reached.get(server),
    contradictions: (server, tool) => wrong.get(JSON.stringify([server, tool])) ?? [],
    observed({ server, tool, operation }, seen) {
      const claims = contradicted(readHints(catalog.definition(server, tool)?.annotations), seen);
      if (claims.length === 0) return;
      wrong.set(JSON.stringify([server, tool]), claims);
      events.emit("contradiction", { server, tool, operation, words: claims });
      const detail = JSON.stringify({ kind: "hint_contradicted", operation, ...seen, words: claims });
      standing.withdraw({ server, tool, reason: "hint_contradicted", actor: "indoubt", detail });
    },
    atStart() {
      for (const [server, reviewed] of Object.entries(settings.lock?.servers ?? {})) {
        const given = own(settings.servers, server)?.identity;
        const other = given && otherServer(reviewed.identity, given);
        if (other) tellAll(server, "other_server", other);
      }
    },
  };
}

/** Something that the operator declared rests on the definition: a contract, or that the tool only reads. */
const rests = ({ all }: ToolPolicies): boolean => all.some(({ contract, effect }) => contract || effect === "read");

/** What a tool list is compared with. */
interface Baseline {
  readonly catalogue: ReviewedCatalogue | undefined;
  readonly principal: string | undefined;
  /** The list was seen by a sign-in of its own name. */
  readonly named: boolean;
}

/** A tool that the baseline does not have, and that no pin speaks for. */
const unpinned = ({ all }: ToolPolicies, added: Drift | undefined): Drift | undefined =>
  all.some(({ contract }) => contract?.pin) ? undefined : added;

/** Without a recorded baseline, the pins of contracts are all that was reviewed. */
function pinDrift({ all }: ToolPolicies, definition: ToolDefinition): Drift | undefined {
  const pins = all.flatMap(({ contract }) => contract?.pin?.tool ?? []);
  const seen = toolFingerprint(definition);
  const [reviewed] = pins;
  if (reviewed === undefined || pins.includes(seen)) return undefined;
  return { tool: definition.name, kind: "changed", reviewed, seen, fields: [] };
}
