/** What the commands about tools share: which server and tool is meant, a connection to it, and how it is shown. */
import { readFileSync } from "node:fs";
import type { ServerAccount, ToolAccount } from "../../../src/entries/review.ts";
import type { JsonObject } from "../../../src/index.ts";
import type { Setup } from "../setup/index.ts";
import { UsageError } from "./exit.ts";
import type { Screen } from "./screen.ts";
import { fenced, quoted, visible, wrapped } from "./text.ts";

export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

const NO_SERVER = ["No server is configured.", "Add one under servers, with command and args, or url."] as const;

/** `server/tool`, or a tool name with --server, or one where the configuration has one server. */
export function toolNamed({ config }: Pick<Setup, "config">, name: string, server?: string): NamedTool {
  const servers = Object.keys(config.servers);
  const prefix = servers.find((each) => name.startsWith(`${each}/`));
  if (server !== undefined) return { server, tool: name };
  if (prefix !== undefined) return { server: prefix, tool: name.slice(prefix.length + 1) };
  const [declaring, ...more] = Object.entries(config.servers).filter(([, { tools }]) => Object.hasOwn(tools, name));
  if (declaring && more.length === 0) return { server: declaring[0], tool: name };
  const [only] = servers;
  if (only !== undefined && servers.length === 1) return { server: only, tool: name };
  if (servers.length === 0) throw new UsageError(...NO_SERVER);
  throw new UsageError(`Which server's ${quoted(name)}?`, `Say --server, one of: ${servers.map(visible).join(", ")}.`);
}

/** Servers of the configuration that say how they are reached. */
export function reachable({ config }: Pick<Setup, "config">, named: readonly string[]): readonly string[] {
  const all = Object.entries(config.servers).flatMap(([name, { url, command }]) => ((url ?? command) ? [name] : []));
  const wrong = named.find((name) => !all.includes(name));
  if (wrong !== undefined) {
    throw new UsageError(
      `The configuration does not say how to reach ${quoted(wrong)}.`,
      "Add command and args, or url, to it.",
    );
  }
  if (all.length > 0) return named.length > 0 ? named : all;
  throw new UsageError(...NO_SERVER);
}

/** Connects, reads the whole list, and takes what a server prints to its errors off the screen. */
export async function connected<T>(setup: Setup, server: string, work: () => Promise<T>): Promise<T> {
  const { connectServer } = await import("../setup/index.ts");
  const connection = await connectServer(setup, server, { onStderr: () => {} });
  try {
    return await work();
  } finally {
    await connection.close();
  }
}

/** A file with the arguments of a call, or stdin for `-`. */
export function readArguments(file: string | undefined): JsonObject {
  if (file === undefined) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (error) {
    throw new UsageError(
      `${file}: ${error instanceof Error ? error.message : String(error)}`,
      "Give a file with one JSON object.",
    );
  }
  throw new UsageError(`${file} is no JSON object.`, "The arguments of a call are one JSON object.");
}

export function printServer(screen: Screen, account: ServerAccount): void {
  const { server, identity, release, whole, reviewed, notes, tools } = account;
  screen.print(screen.paint.bold(`Server ${quoted(server)}`));
  const place = identity && ("url" in identity ? identity.url : [identity.command, ...(identity.args ?? [])].join(" "));
  screen.print(`  reached at ${place === undefined ? "an unknown place" : quoted(place)}`);
  if (release) screen.print(`  calls itself ${quoted(`${release.name} ${release.version}`)}, which is a claim`);
  screen.print(
    `  ${tools.length} tools${whole ? "" : ", not all pages were seen"}${reviewed ? "" : "; never reviewed"}`,
  );
  for (const note of notes) printLines(screen, note, "  ! ");
  for (const tool of tools) printTool(screen, tool);
  printDrift(screen, account);
}

function printTool(screen: Screen, tool: ToolAccount): void {
  const { title, description, claims, faults, declared, review, suspended, fingerprint } = tool;
  screen.print();
  screen.print(`  ${screen.paint.bold(quoted(tool.tool))}  ${fingerprint}`);
  if (title !== undefined) screen.print(`    the publisher's title: ${quoted(title)}`);
  for (const line of description === undefined ? [] : fenced(description, "    ")) screen.print(line);
  for (const claim of claims) printLines(screen, claim, "    ");
  for (const fault of faults) printLines(screen, `Fault in the form: ${fault}.`, "    ! ");
  const word = declared === undefined ? "nothing, so it is a write" : declared;
  screen.print(`    the operator declared: ${word}`);
  if (review) screen.print(`    reviewed by ${quoted(review.by)} on ${visible(review.on)}`);
  if (suspended !== undefined) screen.print(screen.paint.red(`    suspended: ${visible(suspended)}`));
}

export function printDrift(screen: Screen, { drift, server }: ServerAccount): void {
  if (drift.length === 0) return;
  screen.print();
  screen.print(screen.paint.bold(`Changed since the review of ${quoted(server)}`));
  for (const { words, counts } of drift) {
    const [first = "", ...fields] = words;
    printLines(screen, first, counts ? "  ! " : "  - ");
    for (const field of fields) screen.print(`      ${visible(field)}`);
  }
}

function printLines(screen: Screen, text: string, first: string): void {
  for (const line of wrapped(text, screen.measure, first, " ".repeat(first.length))) screen.print(line);
}

/** What programs get of an account. */
export const accountJson = ({ server, identity, release, whole, reviewed, notes, tools, drift }: ServerAccount) => ({
  server,
  identity,
  release,
  whole,
  reviewed,
  notes,
  tools: tools.map(({ tool, fingerprint, claims, faults, claimsReadOnly, declared, review, suspended }) => ({
    tool,
    fingerprint,
    claims,
    faults,
    claims_read_only: claimsReadOnly,
    declared,
    review,
    suspended,
  })),
  drift: drift.map(({ tool, kind, reviewed: before, seen, now, fields, words, counts }) => ({
    tool,
    kind,
    reviewed: before,
    seen,
    now,
    fields,
    words,
    counts,
  })),
});
