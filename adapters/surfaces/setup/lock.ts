/** The lock file beside the configuration, and the digest of a server's program that it is bound to. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { guardPolicies } from "../../../src/entries/config.ts";
import type { Lock } from "../../../src/entries/review.ts";
import { type GuardPolicyOptions, IndoubtError } from "../../../src/index.ts";
import type { LoadedConfig } from "./config.ts";

const NAME = "indoubt.lock.json";

export const lockFile = ({ config, folder }: Pick<LoadedConfig, "config" | "folder">): string =>
  resolve(folder, config.lock ?? NAME);

/**
 * The content of the lock file; the guard checks it. Undefined: there is none.
 * @throws IndoubtError CONFIG_INVALID when a named file is missing, or is no JSON
 */
export function readLock(loaded: LoadedConfig): unknown {
  const file = lockFile(loaded);
  if (!existsSync(file)) {
    if (loaded.config.lock === undefined) return undefined;
    throw new IndoubtError("CONFIG_INVALID", `lock: there is no ${file}. Run: indoubt tools review`);
  }
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    const cure = "Take it from version control, or run: indoubt tools review --fresh";
    throw new IndoubtError("CONFIG_INVALID", `${file} is no JSON. ${cure}`, { cause });
  }
}

/** In one step: a reader never sees half of it. */
export function writeLock(file: string, lock: Lock): void {
  const half = `${file}.${process.pid}`;
  writeFileSync(half, `${JSON.stringify(lock, null, 2)}\n`);
  renameSync(half, file);
}

/** Policies whose servers are bound to the files of their programs, too. */
export function boundPolicies({ config, folder }: LoadedConfig, lock: unknown): GuardPolicyOptions {
  const policies = guardPolicies(config, lock);
  const servers = Object.entries(policies.servers ?? {}).map(([name, server]) => {
    const { identity } = server;
    if (!identity || "url" in identity || identity.package !== undefined) return [name, server] as const;
    const digest = programDigest(identity.args ?? [], resolve(folder, config.servers[name]?.cwd ?? "."));
    return [name, digest === undefined ? server : { ...server, identity: { ...identity, package: digest } }] as const;
  });
  return { ...policies, cards: cardsOf(config, folder), servers: Object.fromEntries(servers) };
}

/** The cards that contracts cite, by their names in the file; one that is missing is told by the guard. */
function cardsOf({ servers }: LoadedConfig["config"], folder: string): Record<string, unknown> {
  const cited = Object.values(servers).flatMap(({ tools }) =>
    Object.values(tools).flatMap(({ contract, when = [] }) =>
      [contract, ...when.map((rule) => rule.contract)].flatMap((each) => each?.review.card ?? []),
    ),
  );
  return Object.fromEntries(
    cited.flatMap((name): [string, unknown][] => {
      const file = resolve(folder, name);
      return existsSync(file) ? [[name, readCard(file)]] : [];
    }),
  );
}

/** No JSON is no card: the guard says so, with the contract that cites it. */
function readCard(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** Programs are small; a file this large on a command line is data. */
const LARGEST = 10_000_000;

/**
 * Of the files that the command line names, with the package.json above each: another version is another program. What
 * a program loads besides is not covered.
 */
function programDigest(args: readonly string[], cwd: string): string | undefined {
  const files = args
    .filter((arg) => !arg.startsWith("-"))
    .map((arg) => resolve(cwd, arg))
    .filter(isProgram);
  if (files.length === 0) return undefined;
  const hash = createHash("sha256");
  for (const file of files) {
    hash.update(readFileSync(file));
    const manifest = manifestAbove(dirname(file));
    if (manifest !== undefined) hash.update(readFileSync(manifest));
  }
  return `sha256-${hash.digest("base64url")}`;
}

function isProgram(file: string): boolean {
  if (!/\.(?:[cm]?[jt]s|py|rb|sh|jar|exe|wasm)$/.test(file)) return false;
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= LARGEST;
}

function manifestAbove(folder: string): string | undefined {
  const file = join(folder, "package.json");
  if (existsSync(file)) return file;
  const above = dirname(folder);
  return above === folder ? undefined : manifestAbove(above);
}
