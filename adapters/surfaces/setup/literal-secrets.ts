/** Secrets that stand in the configuration file itself: they end in a repository. */
import type { ParsedConfig } from "../../../src/entries/config.ts";

const SECRET_NAME = /secret|token|password|passwd|api[-_]?key|authorization|cookie|credential/i;
const PASSWORD_IN_ADDRESS = /^[a-z+]+:\/\/[^@/]*:[^@/]+@/i;
const PROGRAM = /\.m?js$/;

/** @returns one warning for each, with its cure */
export function literalSecrets(config: ParsedConfig, file: string): string[] {
  // A program may have read it from anywhere: what it hands over says nothing about the file.
  if (PROGRAM.test(file)) return [];
  const address = typeof config.store === "object" && "address" in config.store ? config.store.address : config.store;
  return [
    ...(typeof config.secret === "string" ? ["secret"] : []),
    ...(typeof address === "string" && PASSWORD_IN_ADDRESS.test(address) ? ["store"] : []),
    ...Object.entries(config.servers).flatMap(([server, { env = {}, headers = {} }]) =>
      Object.entries({ env, headers }).flatMap(([option, values]) =>
        Object.entries(values)
          .filter(([name, value]) => typeof value === "string" && SECRET_NAME.test(name))
          .map(([name]) => `servers.${server}.${option}.${name}`),
      ),
    ),
  ].map((path) => `${path} stands in ${file} as plain text. Write { "env": "NAME" } and set the variable.`);
}
