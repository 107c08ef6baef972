/** What went wrong, in words with a cure, and whether anything may have been written. */
import { type Effect, IndoubtError } from "../../../src/index.ts";

/** Errors with which a server refuses a command before it does anything. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/^OOM/, "Redis is out of memory. Raise maxmemory or free memory; nothing is evicted on purpose."],
  [/^(-)?READONLY/, "This Redis is a replica now. Wait for the failover to end, or give the address of the primary."],
  [/^LOADING/, "Redis is still loading its data. Wait until it has started."],
  [/^NOAUTH|^WRONGPASS/, "Redis refused the credentials. Check user name and password in the store's url."],
  [/^NOPERM/, "The Redis user lacks a right. Grant what adapters/stores/redis/acl.md lists."],
  [/^NOREPLICAS/, "Redis has too few replicas for min-replicas-to-write. Bring a replica back."],
  [/^MISCONF/, "Redis cannot persist its data and refuses writes. Look at its log and at the disk."],
  [/^MASTERDOWN/, "This replica lost its primary. Give the address of the primary."],
  [/^BUSY /, "A script of another client blocks Redis. End it with SCRIPT KILL."],
  [
    /^CLUSTERDOWN|^MOVED|^ASK|^TRYAGAIN|^CROSSSLOT|non local key/,
    "The Redis Cluster is changing or down. Check CLUSTER INFO.",
  ],
  [/^NOSCRIPT/, "Redis forgot the script just now. Try again."],
  [/Stream isn't writeable/, "Redis is not connected. Check that it runs and can be reached."],
  [
    /can't run this command or subcommand/,
    "The Redis user lacks a right. Grant what adapters/stores/redis/acl.md lists.",
  ],
];
const LOST = /max retries per request|Connection is closed|ECONNRESET|EPIPE/;
/** Rights are checked while a script runs: some of its commands may have passed. */
const MAY_BE_PARTIAL = /can't run this command or subcommand|failure in script|from script|non local key/;

export const isReadOnly = (error: unknown): boolean => error instanceof Error && /READONLY/.test(error.message);
/** The command was never handed to a socket. */
export const isUnsent = (error: unknown): boolean =>
  error instanceof Error && error.message.includes("Stream isn't writeable");

/** @param effect what may have been written if the error does not tell */
export function unavailable(error: unknown, effect: Effect): IndoubtError {
  if (error instanceof IndoubtError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const refusal = REFUSALS.find(([pattern]) => pattern.test(message));
  if (!refusal) {
    const what = LOST.test(message) ? "The connection to Redis ended while it had the command" : "Redis gave no answer";
    const text = `${what} (${message}). Check that it runs and can be reached.`;
    return new IndoubtError("STORE_UNAVAILABLE", text, { effect, cause: error });
  }
  const written = MAY_BE_PARTIAL.test(message) ? effect : "none";
  return new IndoubtError("STORE_UNAVAILABLE", `${refusal[1]} (${message})`, { effect: written, cause: error });
}

export const closed = (): IndoubtError =>
  new IndoubtError("STORE_UNAVAILABLE", "The store is closed. Open a new one with redisStore().");

export const notConnected = (within: number, last: unknown): IndoubtError => {
  const why = last instanceof Error ? ` Last error: ${last.message}.` : "";
  const cure = REFUSALS.find(([pattern]) => last instanceof Error && pattern.test(last.message))?.[1];
  return new IndoubtError(
    "STORE_UNAVAILABLE",
    `Redis could not be reached within ${within} ms.${why} ${cure ?? "Check that it runs, its address and its credentials."}`,
    { cause: last },
  );
};

export const notReplicated = (within: number): IndoubtError =>
  new IndoubtError(
    "STORE_UNAVAILABLE",
    `Written, but no replica had it within ${within} ms. Bring a replica back, or set durability: "ack".`,
    { effect: "possible" },
  );

export const incompatible = (text: string): IndoubtError => new IndoubtError("STORE_INCOMPATIBLE", text);
