/**
 * The options of a guard and of a server, as users write and editors show them; those of a tool are in tool-options.ts,
 * those of hooks and probes in look-options.ts. src/config.ts parses them all and refuses everything else;
 * test/types/options.test.ts proves that the two agree, docs/config.md is printed from the comments here.
 */
import type { ServerIdentity, Strictness } from "./core/baseline.ts";
import type { Duration } from "./core/duration.ts";
import type { Lock } from "./lock.ts";
import type { Clock, Store } from "./ports.ts";
import type { ToolOptions } from "./tool-options.ts";

/**
 * @example
 * const guard = createGuard({ store: sqliteStore(), servers: { "billing.acme": { tools: { find_invoice: { effect: "read" } } } } });
 */
export interface GuardOptions extends GuardPolicyOptions {
  /**
   * Where intents are recorded: `sqliteStore()`, `redisStore({ … })`, or `memoryStore()` for tests.
   * @example sqliteStore()
   */
  readonly store: Store;
  /**
   * Behind digests, ids and keys: 16 bytes or more, the same on every machine that shares the store.
   * @default what the store brings along
   * @example process.env.INDOUBT_SECRET
   */
  readonly secret?: Uint8Array | string | undefined;
  /**
   * For tests.
   * @default the machine's clocks
   * @example virtualClock
   */
  readonly clock?: Clock | undefined;
  /**
   * `off`: this guard only looks and takes decisions, as the command line does; nothing is driven on by itself from
   * here, and a review that has expired is told instead of refused. Another process must recover what is open.
   * @default "on"
   * @example "off"
   */
  readonly recovery?: "on" | "off" | undefined;
}

/** Everything of {@link GuardOptions} that is configuration, not an object of the program. */
export interface GuardPolicyOptions {
  /**
   * What the operator declares of each server, under the name that the guard is attached with. A server's own name is
   * never trusted.
   * @default {}
   * @example { "billing.acme": { tools: { find_invoice: { effect: "read" } } } }
   */
  readonly servers?: Readonly<Record<string, ServerOptions>> | undefined;
  /**
   * The reviewed baseline: the parsed content of `indoubt.lock.json`, as `indoubt tools review` wrote it. Contracts
   * without a pin of their own take it from there; what departs from it puts them out of force.
   * @default none
   * @example JSON.parse(readFileSync("indoubt.lock.json", "utf8"))
   */
  readonly lock?: Lock | undefined;
  /**
   * The evidence cards that contracts cite: the name in `review.card` to the parsed content of the file.
   * @default {}
   * @example { "./cards/create_invoice.json": {} }
   */
  readonly cards?: Readonly<Record<string, unknown>> | undefined;
  /**
   * How long a card backs its contract. An older one puts it out of force.
   * @default 15552000000
   * @example "90d"
   */
  readonly cardFor?: Duration | undefined;
  /**
   * What a tool is that no `tools` entry names: a write without contract, or refused. `refuse` turns the configuration
   * into an allowlist.
   * @default "write"
   * @example "refuse"
   */
  readonly undeclared?: "write" | "refuse" | undefined;
  /**
   * Time for a whole call, with all that the guard does for it. The caller's own time limit comes first.
   * @default 60000
   * @example "30s"
   */
  readonly deadline?: Duration | undefined;
  /**
   * How far progress may extend a deadline, and how long a person may take to answer a question of the server.
   * @default 600000
   * @example "30m"
   */
  readonly maxDeadline?: Duration | undefined;
  /**
   * An intent that says when it was issued, and is older than this, may have been sent and forgotten: it begins as
   * uncertain.
   * @default 2592000000
   * @example "7d"
   */
  readonly maxIntentAge?: Duration | undefined;
  /**
   * Larger arguments are refused. In bytes, 1024 or more.
   * @default 4194304
   * @example 1_048_576
   */
  readonly maxArgumentBytes?: number | undefined;
  /**
   * How long an answer is kept, so that a recall is the real answer.
   * @default 86400000
   * @example "1h"
   */
  readonly resultFor?: Duration | undefined;
  /**
   * Larger answers are not kept. In bytes.
   * @default 16384
   * @example 65_536
   */
  readonly maxResultBytes?: number | undefined;
  /**
   * How long an attempt may go on without a renewal before others take its owner for dead.
   * @default 30000
   * @example "1m"
   */
  readonly lease?: Duration | undefined;
  /**
   * How long one write to the store may take, with repeats.
   * @default 5000
   * @example "2s"
   */
  readonly storeTimeout?: Duration | undefined;
  /**
   * Pause between two rounds of recovery.
   * @default 1000
   * @example "5s"
   */
  readonly sweepEvery?: Duration | undefined;
  /**
   * What has waited in the manual queue for this long, counted from the issue of its intent, is told to the listeners
   * of `aged`.
   * @default 3600000
   * @example "4h"
   */
  readonly oldAfter?: Duration | undefined;
}

/** What the operator declares of one server. */
export interface ServerOptions {
  /**
   * Where the server is reached: what its name is bound to. Another one than in the lock puts its contracts and read
   * declarations out of force.
   * @default what the connection shows, where it can be seen
   * @example { url: "https://billing.acme.example/mcp" }
   */
  readonly identity?: ServerIdentity | undefined;
  /**
   * Your name for the sign-in of connections that name no principal. A review holds for its own sign-in.
   * @default none: one review for all
   * @example "acme-prod"
   */
  readonly principal?: string | undefined;
  /**
   * What counts as a departure from the review: `schema` (schemas and hints), `any` (words too), `off` (nothing).
   * @default "schema"
   * @example "any"
   */
  readonly drift?: Strictness | undefined;
  /**
   * A name for people, such as `test` or `production`.
   * @default none
   * @example "test"
   */
  readonly environment?: string | undefined;
  /**
   * What a tool of this server is that no `tools` entry names.
   * @default the guard's
   * @example "refuse"
   */
  readonly undeclared?: "write" | "refuse" | undefined;
  /**
   * HTTP statuses that this server sends before any work, by its documentation. Only then are they rejections, and may
   * be followed by another send.
   * @default []
   * @example [429]
   */
  readonly rejectsBeforeWork?: readonly number[] | undefined;
  /**
   * Time for a whole call of this server's tools.
   * @default the guard's
   * @example "2m"
   */
  readonly deadline?: Duration | undefined;
  /**
   * What the operator declares of each tool.
   * @default {}
   * @example { create_invoice: {} }
   */
  readonly tools?: Readonly<Record<string, ToolOptions>> | undefined;
}
