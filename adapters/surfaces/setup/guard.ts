/** The guard of a surface: configuration file, store and secret together. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Store } from "../../../src/entries/store.ts";
import { createGuard, type Guard, type GuardPolicyOptions, IndoubtError } from "../../../src/index.ts";
import { type LoadedConfig, type LoadOptions, loadConfig } from "./config.ts";
import { boundPolicies, readLock } from "./lock.ts";
import { DEFAULT_STORE, type OpenedStore, openStore } from "./store.ts";
import { configValue, type Environment } from "./values.ts";

export interface OpenOptions extends LoadOptions {
  /**
   * Address of the store; a relative file is seen from `cwd`.
   * @default what the configuration file says, else ./indoubt.db
   * @example "redis://localhost:6379"
   */
  readonly store?: string | undefined;
  /** @default what the configuration file says, else INDOUBT_NAMESPACE */
  readonly namespace?: string | undefined;
  /**
   * `on`: what is open is driven on from here, after `guard.start()` or the first look into the queue. `off`: nothing is
   * ever moved by itself. A surface that lacks the hooks of the configuration must not decide that nobody can look.
   * @default "off"
   */
  readonly recovery?: "on" | "off" | undefined;
  /** What the policies of the file are for this surface. @default as they stand there */
  readonly adjust?: ((policies: Policies) => Policies) | undefined;
  /** `ignore`: open without the reviewed baseline, to make a new one. @default "use" */
  readonly lock?: "use" | "ignore" | undefined;
  /** Refuse a SQLite file that is not there. @default false */
  readonly mustExist?: boolean | undefined;
  /** @default process.env */
  readonly env?: Environment | undefined;
}

export interface Setup extends LoadedConfig {
  readonly guard: Guard;
  readonly store: Store;
  /** Of the store, without a password. */
  readonly address: string;
  readonly env: Environment;
}

type Policies = GuardPolicyOptions;
const unchanged = (policies: Policies): Policies => policies;

/**
 * Reads the configuration, makes the store and the guard. Nothing is connected yet: the first use or `guard.start()` does.
 * End it with `guard.close()`.
 * @throws IndoubtError CONFIG_INVALID with path and cure
 * @example
 * const { guard } = await openGuard({ config: "./indoubt.config.json", mustExist: true });
 * const { items } = await guard.queue.list();
 * await guard.close();
 */
export async function openGuard(options: OpenOptions = {}): Promise<Setup> {
  const env = options.env ?? process.env;
  const loaded = await loadConfig(options);
  const { store, address } = await storeOf(loaded, options, env);
  const { secret, warnings } = secretOf(loaded, store, env);
  const guard = createGuard({
    ...(options.adjust ?? unchanged)(boundPolicies(loaded, options.lock === "ignore" ? undefined : readLock(loaded))),
    recovery: options.recovery ?? "off",
    store,
    ...(secret !== undefined && { secret }),
  });
  return { ...loaded, warnings: [...loaded.warnings, ...warnings], guard, store, address, env };
}

function storeOf({ config, folder }: LoadedConfig, options: OpenOptions, env: Environment): Promise<OpenedStore> {
  const namespace = options.namespace ?? config.namespace ?? (env.INDOUBT_NAMESPACE || undefined);
  const common = { namespace, mustExist: options.mustExist };
  const { store: said = DEFAULT_STORE } = config;
  const { address, ...details } = typeof said === "object" && "address" in said ? said : { address: said };
  if (options.store !== undefined) return openStore(options.store, { ...details, ...common, folder: options.cwd });
  return openStore(configValue(address, "store", env), { ...details, ...common, folder });
}

interface Secret {
  /** Undefined: the store brings its own. */
  readonly secret?: string;
  readonly warnings: readonly string[];
}

function secretOf({ config, folder }: LoadedConfig, store: Store, env: Environment): Secret {
  const { secret } = config;
  if (typeof secret === "object" && "file" in secret) return secretFrom(resolve(folder, secret.file));
  if (secret !== undefined) return { secret: configValue(secret, "secret", env), warnings: [] };
  // A SQLite file has its own secret beside it; only where many machines share a store it must come from outside.
  if (store.kind !== "redis") return { warnings: [] };
  return { secret: configValue({ env: "INDOUBT_SECRET" }, "secret", env), warnings: [] };
}

function secretFrom(file: string): Secret {
  try {
    const exposed = process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0;
    const warning = `${file} can be read by other users. Run: chmod 600 ${file}`;
    return { secret: readFileSync(file, "utf8").trim(), warnings: exposed ? [warning] : [] };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new IndoubtError(
      "CONFIG_INVALID",
      `secret: the file cannot be read: ${why}. Check the name and the rights.`,
      {
        cause,
      },
    );
  }
}
