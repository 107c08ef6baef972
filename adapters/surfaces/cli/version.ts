/** The version of the package, from its own package.json: two or three folders above, in the sources and in dist. */
import { readFileSync } from "node:fs";

export function version(): string {
  for (const up of ["../package.json", "../../package.json", "../../../package.json"]) {
    try {
      const found = JSON.parse(readFileSync(new URL(up, import.meta.url), "utf8")) as {
        name?: string;
        version?: string;
      };
      if (found.name === "indoubt" && found.version !== undefined) return found.version;
    } catch {
      // Not this folder.
    }
  }
  return "0.0.0";
}
