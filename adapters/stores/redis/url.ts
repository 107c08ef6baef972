/** Addresses of a Redis, as text. */
import type { ClusterNode, RedisOptions } from "ioredis";
import { IndoubtError } from "../../../src/index.ts";

export type Target =
  | { readonly kind: "standalone"; readonly options: RedisOptions }
  | { readonly kind: "sentinel"; readonly options: RedisOptions }
  | { readonly kind: "cluster"; readonly nodes: readonly ClusterNode[]; readonly options: RedisOptions };

const FORMS =
  "redis://user:password@host:6379/0, rediss:// for TLS, redis+sentinel://host:26379,host:26379/name, " +
  "redis+cluster://host:6379,host:6379";
const PATTERN = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([^?#]*))?$/;
const DB = /^\d{1,5}$/;

/** The password is never repeated. */
const unreadable = (why: string): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", `The Redis url cannot be used: ${why}. Write ${FORMS}.`);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadable("user name or password are not percent-encoded correctly");
  }
}

function credentials(text: string | undefined): RedisOptions {
  if (!text) return {};
  const colon = text.indexOf(":");
  const username = decode(colon < 0 ? text : text.slice(0, colon));
  return {
    ...(username === "" ? {} : { username }),
    ...(colon < 0 ? {} : { password: decode(text.slice(colon + 1)) }),
  };
}

function readHost(text: string, port: number): { host: string; port: number } {
  const [, v6, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = v6 ?? name;
  if (!host) throw unreadable(`"${text}" is not a host`);
  return { host, port: digits === undefined ? port : Number(digits) };
}

function database(text: string | undefined): RedisOptions {
  if (text === undefined || text === "") return {};
  if (!DB.test(text)) throw unreadable(`"/${text}" is not a database number`);
  return { db: Number(text) };
}

/** @throws IndoubtError CONFIG_INVALID */
export function readUrl(url: string): Target {
  const [, secure, mode, user, hosts = "", path] = PATTERN.exec(url) ?? [];
  if (secure === undefined) throw unreadable("its form is not known");
  // Else a piece of the password would be told as a host or a database.
  if (path?.includes("@")) throw unreadable("user name or password hold a slash, which is written %2F");
  const common = { ...credentials(user), ...(secure ? { tls: {} } : {}) };
  const each = (port: number) => hosts.split(",").map((host) => readHost(host, port));
  if (mode === "cluster") {
    if (path) throw unreadable("a cluster has no databases");
    return { kind: "cluster", nodes: each(6379), options: common };
  }
  if (mode === "sentinel") {
    const [name, db] = (path ?? "").split("/");
    if (!name) throw unreadable("the name of the primary is missing");
    const tls = secure ? { enableTLSForSentinelMode: true } : {};
    return { kind: "sentinel", options: { ...common, ...tls, ...database(db), sentinels: each(26379), name } };
  }
  const [server, ...more] = each(6379);
  if (!server || more.length > 0) throw unreadable("several hosts need redis+sentinel:// or redis+cluster://");
  return { kind: "standalone", options: { ...common, ...database(path), ...server } };
}
