/**
 * Prints the reference pages from the tables that the code runs on: docs/states.md, docs/decisions.md, docs/errors.md,
 * docs/config.md and docs/presets.md.
 */
import { configPage } from "./docs/config-page.ts";
import { decisionsPage } from "./docs/decisions-page.ts";
import { errorsPage } from "./docs/errors-page.ts";
import { presetsPage } from "./docs/presets-page.ts";
import { statesPage } from "./docs/states-page.ts";

/** Path from the root of the repository -> full text. */
export const generateDocs = (): Record<string, string> => ({
  "docs/states.md": statesPage(),
  "docs/decisions.md": decisionsPage(),
  "docs/errors.md": errorsPage(),
  "docs/config.md": configPage(),
  "docs/presets.md": presetsPage(),
});
