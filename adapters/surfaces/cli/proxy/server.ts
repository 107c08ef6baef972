/** Which server the proxy is for: named in the configuration, or given in the command line. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { ProxyTarget } from "../../proxy/index.ts";
import { type LoadedConfig, resolveServer } from "../../setup/index.ts";
import { UsageError } from "../exit.ts";
import { headersOf, httpUrl } from "../headers.ts";

export interface ProxyWords {
  readonly server?: string;
  readonly url?: string;
  readonly header: readonly string[];
  readonly command: readonly string[];
}

/** @throws UsageError when there are two servers or none */
export function serverOf(
  words: ProxyWords,
  loaded: LoadedConfig,
  env: Readonly<Record<string, string | undefined>>,
): { readonly name: string; readonly target: ProxyTarget } {
  const given = targetOf(words);
  const { server } = words;
  if (given) return { name: server ?? nameOf(given), target: given };
  if (server === undefined) {
    throw new UsageError(
      "There is no server to guard",
      "Write a command after --, or --url, or --server with a name of the configuration.",
    );
  }
  const found = resolveServer(loaded, server, env);
  if (found?.kind === "http") return { name: server, target: { url: found.url, headers: found.headers } };
  if (found) return { name: server, target: found };
  throw new UsageError(
    `The configuration does not say how to reach "${server}"`,
    `Add "command" or "url" to servers.${server}, or write the command after --.`,
  );
}

function targetOf({ url, header, command: [command, ...args] }: ProxyWords): ProxyTarget | undefined {
  if (url !== undefined && command !== undefined)
    throw new UsageError("There are --url and a command", "Keep one of them.");
  if (header.length > 0 && url === undefined)
    throw new UsageError("--header belongs to --url", "Add --url, or leave it out.");
  if (command !== undefined) return { command, args };
  if (url === undefined) return undefined;
  return { url: httpUrl(url), headers: headersOf(header) };
}

/**
 * The same for the same command or address, so that a proxy that starts again finds its record; another one for other
 * arguments, for those may be another account.
 */
export function nameOf(target: ProxyTarget): string {
  if ("url" in target) {
    const { host, pathname, search } = new URL(target.url);
    return `${host}${pathname === "/" ? "" : pathname}${search === "" ? "" : `-${digest(search)}`}`;
  }
  const { command, args = [] } = target;
  const words = [command, ...args];
  const main = args.find((word) => !word.startsWith("-")) ?? command;
  return `${basename(main)}-${digest(JSON.stringify(words))}`;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);
