/** How a configured server is reached, with the values of the environment filled in. */
import { resolve } from "node:path";
import { IndoubtError } from "../../../src/index.ts";
import type { LoadedConfig } from "./config.ts";
import { configValues, type Environment } from "./values.ts";

export type ResolvedServer =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/**
 * @returns undefined when the file says nothing about how to reach it
 * @throws IndoubtError CONFIG_INVALID for a server that is not in the file, or a variable that is not set
 */
export function resolveServer(
  { config, folder, file }: Pick<LoadedConfig, "config" | "folder" | "file">,
  name: string,
  env: Environment = process.env,
): ResolvedServer | undefined {
  const server = Object.hasOwn(config.servers, name) ? config.servers[name] : undefined;
  if (!server) {
    const known = Object.keys(config.servers).join(", ") || "none";
    const text = `There is no server "${name}" in ${file ?? "the configuration"}. It knows: ${known}.`;
    throw new IndoubtError("CONFIG_INVALID", text);
  }
  const path = `servers.${name}`;
  if (server.url !== undefined) {
    return { kind: "http", url: server.url, headers: configValues(server.headers ?? {}, `${path}.headers`, env) };
  }
  if (server.command === undefined) return undefined;
  return {
    kind: "stdio",
    command: server.command,
    args: server.args ?? [],
    env: configValues(server.env ?? {}, `${path}.env`, env),
    cwd: resolve(folder, server.cwd ?? "."),
  };
}
