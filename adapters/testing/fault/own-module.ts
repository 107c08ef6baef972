import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** What a child process imports to get at our own exports: the source file at `url`, or the built entry, wherever its code was put. */
export function ownModule(url: string): { readonly loader: readonly string[]; readonly module: string } {
  if (!url.endsWith(".ts")) return { loader: [], module: import.meta.resolve("indoubt/testing") };
  const tsx = pathToFileURL(createRequire(url).resolve("tsx")).href;
  return { loader: ["--import", tsx], module: url };
}
