/** Shows what was listed beside what was reviewed, and records a review. */

import type { Catalogue, DriftAccount, ReviewDecision, ServerAccount, ToolAccount } from "./catalogue-api.ts";
import {
  compareCatalogue,
  isDrift,
  otherServer,
  type ReviewedServer,
  type ServerIdentity,
  shareable,
} from "./core/baseline.ts";
import { toolFingerprint } from "./core/contract.ts";
import { definitionFaults } from "./core/definition-faults.ts";
import { driftWords } from "./core/drift-words.ts";
import { quoted } from "./core/fence.ts";
import { hintWords, readHints, stampedAlike } from "./core/hints.ts";
import { IndoubtError } from "./errors.ts";
import type { ToolDefinition } from "./guard-api.ts";
import type { Parts } from "./guard-parts.ts";
import { catalogueFor, type Lock, reviewedLock } from "./lock.ts";
import { own } from "./policy.ts";
import { liftedByReview, sightIn } from "./standing.ts";

export function catalogue(parts: Parts): Catalogue {
  // One review after the other: each goes on from the last.
  let latest = parts.runtime.settings.lock;
  let before: Promise<unknown> = Promise.resolve();
  return {
    async show(server, { principal } = {}) {
      await parts.standing.look(0);
      return accountOf(parts, server, principal ?? own(parts.runtime.settings.servers, server)?.principal);
    },
    review(server, decision) {
      const work = before.then(async () => {
        latest = await review(parts, server, decision, latest);
        return latest;
      });
      before = work.catch(() => {});
      return work;
    },
  };
}

function accountOf(parts: Parts, server: string, principal: string | undefined): ServerAccount {
  const { settings } = parts.runtime;
  const { tools, whole, release } = parts.catalog.listed(server, principal);
  const reviewed = own(settings.lock?.servers, server);
  const identity = identityOf(parts, server);
  const found = catalogueFor(reviewed, principal);
  const drifts = found ? compareCatalogue(found, tools).filter(({ kind }) => whole || !GONE.includes(kind)) : [];
  return {
    server,
    ...(identity && { identity: shareable(identity) }),
    ...(release && { release }),
    whole,
    reviewed: found !== undefined,
    notes: notesOf(reviewed, identity, release, tools),
    tools: tools.map((definition) => toolAccount(parts, server, definition, found?.tools[definition.name]?.review)),
    drift: drifts.map((drift): DriftAccount => {
      const { drift: strictness } = settings.policy(server, drift.tool);
      return { ...drift, words: driftWords(drift), counts: isDrift(drift, strictness) };
    }),
  };
}

const GONE: readonly string[] = ["removed", "renamed"];

function toolAccount(
  parts: Parts,
  server: string,
  definition: ToolDefinition,
  review: ToolAccount["review"],
): ToolAccount {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  const policy = parts.runtime.settings.policy(server, name);
  const suspended = parts.standing.find(server, name)?.reason;
  const hints = readHints(annotations);
  return {
    tool: name,
    ...(title !== undefined && { title: String(title) }),
    ...(description !== undefined && { description: String(description) }),
    fingerprint: toolFingerprint(definition),
    ...(inputSchema !== undefined && { inputSchema }),
    ...(outputSchema !== undefined && { outputSchema }),
    claims: hintWords(hints),
    faults: definitionFaults(definition),
    claimsReadOnly: hints.readOnly.declared === true,
    ...(policy.declared && { declared: policy.effect }),
    ...(review && { review }),
    ...(suspended !== undefined && { suspended }),
  };
}

function notesOf(
  reviewed: ReviewedServer | undefined,
  identity: ServerIdentity | undefined,
  release: ServerAccount["release"],
  tools: readonly ToolDefinition[],
): string[] {
  const alike = stampedAlike(tools);
  const other = reviewed && identity && otherServer(reviewed.identity, identity);
  const before = reviewed?.release;
  const moved = before && release && (before.name !== release.name || before.version !== release.version);
  const word = ({ name, version }: { name: string; version: string }) => quoted(`${name} ${version}`);
  return [
    ...(other ? [`This is not the server that was reviewed: ${other}.`] : []),
    ...(moved ? [`${word(before)} was reviewed; the server now calls itself ${word(release)}.`] : []),
    ...(alike === undefined ? [] : [alike]),
  ];
}

/** The connection's word first; where the configuration agrees with it, that one knows more (the program's files). */
function identityOf({ runtime, drift }: Parts, server: string): ServerIdentity | undefined {
  const seen = drift.reached(server);
  const given = own(runtime.settings.servers, server)?.identity;
  return seen && given && !otherServer(given, seen) ? given : (seen ?? given);
}

async function review(
  parts: Parts,
  server: string,
  decision: ReviewDecision,
  previous: Lock | undefined,
): Promise<Lock> {
  const { runtime, standing } = parts;
  const { actor, reason = "reviewed", accepted } = decision;
  if (!actor?.trim()) throw refused("A review needs actor: who looked at the tools.");
  const principal = decision.principal ?? own(runtime.settings.servers, server)?.principal;
  const { tools, whole, release } = parts.catalog.listed(server, principal);
  if (!whole) throw refused(`The whole tool list of "${server}" was not seen: list all its pages first.`);
  const identity = decision.identity ?? identityOf(parts, server);
  if (!identity) {
    throw refused(
      `Where "${server}" is reached is not known: set servers.${server}.identity to { url } or { command, args }.`,
    );
  }
  const unknown = accepted?.filter((name) => !tools.some((tool) => tool.name === name)) ?? [];
  if (unknown.length > 0) throw refused(`The server does not list ${unknown.map((name) => quoted(name)).join(", ")}.`);
  refuseUnseen(tools, decision);
  const on = new Date(runtime.clock.wall()).toISOString().slice(0, 10);
  const given = { server, identity, principal, release, tools, accepted, by: actor, on };
  const lock = reviewedLock(previous, given);
  await runtime.ready();
  for (const entry of await standing.current()) {
    const concerned = entry.server === server && (!accepted || accepted.includes(entry.tool));
    if (!concerned || !liftedByReview(entry) || isOfAnother(previous, server, principal, entry.detail)) continue;
    if (!(await standing.lift(server, entry.tool, entry))) continue;
    runtime.events.emit("lifted", { server, tool: entry.tool, actor, reason });
  }
  return lock;
}

/** A list may change while a person looks. */
function refuseUnseen(tools: readonly ToolDefinition[], { shown, accepted }: ReviewDecision): void {
  if (!shown) return;
  const looks = (name: string, fingerprint: string, title: unknown, description: unknown) =>
    JSON.stringify([name, fingerprint, title, description]);
  const seen = new Set(
    shown.tools.map(({ tool, fingerprint, title, description }) => looks(tool, fingerprint, title, description)),
  );
  for (const { name, title, description, ...rest } of tools) {
    if (accepted && !accepted.includes(name)) continue;
    const [heading, words] = [title, description].map((text) => (text === undefined ? undefined : String(text)));
    if (seen.has(looks(name, toolFingerprint({ name, ...rest }), heading, words))) continue;
    throw refused(`${quoted(name)} is not what was shown: the server lists something else by now. Look again.`);
  }
}

/** What departs from the review of another sign-in stays out of force: its list was not looked at. */
function isOfAnother(
  lock: Lock | undefined,
  server: string,
  principal: string | undefined,
  detail: string | undefined,
): boolean {
  const whose = sightIn(detail).principal;
  const reviewed = own(lock?.servers, server)?.catalogues.some((each) => each.principal === whose);
  return whose !== principal && reviewed === true;
}

const refused = (text: string): IndoubtError => new IndoubtError("CONFIG_INVALID", text);
