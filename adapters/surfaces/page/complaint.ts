import { IndoubtError } from "../../../src/index.ts";

/** An option of the page that cannot be used, with its path and the cure. Never with its value where that is a secret. */
export const invalid = (path: string, cure: string): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", `page.${path}: ${cure}.`, { details: { path: `page.${path}` } });
