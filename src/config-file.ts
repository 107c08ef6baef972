/**
 * The configuration file of the command line, the worker, the page and the proxy: what `createGuard` takes, plus the
 * store, the secret and how each server is reached. One schema with the API; config.schema.json is printed from it.
 */
import { z } from "zod";
import { invalid, optionsSchema, serverSchema } from "./config.ts";
import type { ServerIdentity } from "./core/baseline.ts";
import { durationSchema } from "./core/duration.ts";
import { itemLinkProblem } from "./item-link.ts";
import type { Lock } from "./lock.ts";
import type { GuardPolicyOptions, ServerOptions } from "./options.ts";

const variable = z
  .string("the name of an environment variable")
  .regex(/^[A-Za-z_]\w*$/, 'the name of an environment variable, such as "INDOUBT_SECRET"');
const fromEnvironment = z.strictObject({ env: variable });
/** A value that may be a secret: it stands in the environment, not in the file. `prefix` goes before it. */
const valueSchema = z.union([
  z.string('write a text, or { "env": "NAME" } for the value of an environment variable'),
  z.strictObject({ env: variable, prefix: z.string().optional() }),
]);

const ADDRESS = 'write an address such as "sqlite:./indoubt.db" or "redis://localhost:6379", or { "env": "NAME" }';
const address = z.string(ADDRESS).min(1, ADDRESS);
const storeSchema = z.union([
  address,
  fromEnvironment,
  z.strictObject({
    address: z.union([address, fromEnvironment]),
    durability: z.enum(["ack", "replica"]).optional(),
    synchronous: z.enum(["FULL", "NORMAL"]).optional(),
    spool: z.string().min(1).optional(),
    commandTimeout: durationSchema.optional(),
    connectWithin: durationSchema.optional(),
    clockSkew: durationSchema.optional(),
  }),
]);

const SECRET = 'write { "env": "INDOUBT_SECRET" } or { "file": "./indoubt.secret" }; 16 bytes or more';
const secretSchema = z.union([
  z.string(SECRET).min(16, SECRET),
  fromEnvironment,
  z.strictObject({ file: z.string().min(1) }),
]);

const fileServerSchema = serverSchema
  .extend({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), valueSchema).optional(),
    cwd: z.string().min(1).optional(),
    url: z.url({ protocol: /^https?$/, error: "an http:// or https:// address" }).optional(),
    headers: z.record(z.string(), valueSchema).optional(),
  })
  .superRefine((server, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (server.command !== undefined && server.url !== undefined) {
      refuse("url", "a server has a command (stdio) or a url (Streamable HTTP), not both: remove one");
    }
    for (const name of ["args", "env", "cwd"] as const) {
      if (server[name] !== undefined && server.command === undefined) refuse(name, "belongs to a command: add one");
    }
    if (server.headers !== undefined && server.url === undefined) refuse("headers", "belong to a url: add one");
  });

export const configFileSchema = optionsSchema.extend({
  $schema: z.string().optional(),
  store: storeSchema.optional(),
  namespace: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, '1 to 32 of a-z, 0-9 and "-", for example "acme-agents"')
    .optional(),
  secret: secretSchema.optional(),
  urlTemplate: z
    .string()
    .superRefine((text, context) => {
      const problem = itemLinkProblem(text);
      if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
    })
    .optional(),
  lock: z.string().min(1).optional(),
  servers: z.record(z.string().min(1), fileServerSchema).default({}),
});

/** A value of the file: as it stands, or in an environment variable. */
export type ConfigValue = string | { readonly env: string; readonly prefix?: string | undefined };

/** How a server is reached: a command (stdio) or a url (Streamable HTTP). */
export interface ServerConnection {
  /**
   * The program of a stdio server.
   * @default none
   * @example "npx"
   */
  readonly command?: string | undefined;
  /**
   * Its arguments.
   * @default []
   * @example ["-y", "@acme/billing-mcp"]
   */
  readonly args?: readonly string[] | undefined;
  /**
   * Its environment, beside the few variables that every program needs.
   * @default {}
   * @example { "API_KEY": { "env": "BILLING_API_KEY" } }
   */
  readonly env?: Readonly<Record<string, ConfigValue>> | undefined;
  /**
   * Its working folder, seen from the configuration file.
   * @default the folder of the configuration file
   * @example "./servers"
   */
  readonly cwd?: string | undefined;
  /**
   * The address of a Streamable HTTP server.
   * @default none
   * @example "https://billing.acme.example/mcp"
   */
  readonly url?: string | undefined;
  /**
   * Headers of every request to it.
   * @default {}
   * @example { "authorization": { "env": "BILLING_TOKEN", "prefix": "Bearer " } }
   */
  readonly headers?: Readonly<Record<string, ConfigValue>> | undefined;
}

/** What may stand in `indoubt.config.json`, or be the default export of `indoubt.config.mjs`. */
export interface ConfigFile extends Omit<GuardPolicyOptions, "servers" | "lock"> {
  /**
   * For editors.
   * @default none
   * @example "./node_modules/indoubt/config.schema.json"
   */
  readonly $schema?: string | undefined;
  /**
   * Where intents are recorded. With options as an object: `address`, `durability`, `synchronous`, `spool` (a folder),
   * `commandTimeout`, `connectWithin`, `clockSkew`.
   * @default "sqlite:./indoubt.db"
   * @example { "env": "REDIS_URL" }
   */
  readonly store?: StoreConfig | undefined;
  /**
   * Separates what different teams keep in one store. Needed on Redis.
   * @default "default", on SQLite
   * @example "acme-agents"
   */
  readonly namespace?: string | undefined;
  /**
   * Where the secret behind digests, ids and keys is: the one that your program gives to its guard.
   * @default what the store brings along; on Redis the environment variable INDOUBT_SECRET
   * @example { "env": "INDOUBT_SECRET" }
   */
  readonly secret?: string | { readonly env: string } | { readonly file: string } | undefined;
  /**
   * Links an operation to a dashboard of yours: `{id}`, `{server}`, `{tool}`, `{key}` and `{ref}`
   * are filled in.
   * @default none
   * @example "https://board.example/search?q={id}"
   */
  readonly urlTemplate?: string | undefined;
  /**
   * The file with the reviewed baseline, written by `indoubt tools review`.
   * @default "indoubt.lock.json", if it is there
   * @example "./ops/indoubt.lock.json"
   */
  readonly lock?: string | undefined;
  /**
   * What the operator declares of each server, and how it is reached.
   * @default {}
   * @example { "billing.acme": { "url": "https://billing.acme.example/mcp" } }
   */
  readonly servers?: Readonly<Record<string, ServerOptions & ServerConnection>> | undefined;
}

export type StoreConfig =
  | string
  | { readonly env: string }
  | {
      readonly address: string | { readonly env: string };
      readonly durability?: "ack" | "replica" | undefined;
      readonly synchronous?: "FULL" | "NORMAL" | undefined;
      readonly spool?: string | undefined;
      readonly commandTimeout?: number | string | undefined;
      readonly connectWithin?: number | string | undefined;
      readonly clockSkew?: number | string | undefined;
    };

/** The file after checking: durations in ms, defaults filled in. */
export type ParsedConfig = z.output<typeof configFileSchema>;

/**
 * Checks what a configuration file says.
 * @param name of the file, for the error
 * @throws IndoubtError CONFIG_INVALID with each path and cure
 * @example
 * const config = parseConfigFile(JSON.parse(text), "indoubt.config.json");
 */
export function parseConfigFile(input: unknown, name = "The configuration file"): ParsedConfig {
  const parsed = configFileSchema.safeParse(input);
  if (!parsed.success) throw invalid("CONFIG_INVALID", name, parsed.error);
  return parsed.data;
}

/**
 * What of the file is for `createGuard`. A server's name is bound to how it is reached.
 * @param lock the parsed content of the lock file
 */
export function guardPolicies(config: ParsedConfig, lock?: unknown): GuardPolicyOptions {
  const servers = Object.entries(config.servers).map(([name, server]) => [
    name,
    { ...boundTo(server), ...pick(server, serverSchema.shape) },
  ]);
  const { lock: _file, ...plain } = pick(config, optionsSchema.shape) as GuardPolicyOptions;
  return { ...plain, ...(lock !== undefined && { lock: lock as Lock }), servers: Object.fromEntries(servers) };
}

function boundTo({ url, command, args }: ParsedConfig["servers"][string]): { identity?: ServerIdentity } {
  if (url !== undefined) return { identity: { url } };
  return command === undefined ? {} : { identity: { command, ...(args && { args }) } };
}

const pick = (from: object, shape: object): object =>
  Object.fromEntries(Object.entries(from).filter(([name]) => Object.hasOwn(shape, name)));
