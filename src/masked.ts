/** What a hook is given of arguments that were masked or cut: it may read them, but an absence found by one proves nothing. */
import { judged } from "./core/looks.ts";
import { isMasked } from "./core/redaction.ts";
import type { JsonObject, JsonValue, Observation } from "./core/terms.ts";

export interface Watched {
  readonly arguments: JsonObject;
  /** The same observation, or `unclear` where it says absent after a masked value was read. */
  judged(observation: Observation): Observation;
}

export function watchMasked(args: JsonObject): Watched {
  let read: string | undefined;
  const copied = (value: JsonValue, at: string): JsonValue => {
    if (typeof value !== "object" || value === null) return value;
    const copy = Array.isArray(value) ? [] : {};
    for (const [name, item] of Object.entries(value)) {
      const here = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const common = { enumerable: true, configurable: true };
      const get = () => {
        read ??= here;
        return item;
      };
      const field = isMasked(item) ? { ...common, get } : { ...common, writable: true, value: copied(item, here) };
      Object.defineProperty(copy, name, field);
    }
    return copy;
  };
  return {
    arguments: copied(args, "") as JsonObject,
    judged: (observation) => judged(observation, read),
  };
}
