/**
 * Makes `adapters/surfaces/page/assets/assets.gen.ts` from the style sheets, the scripts and the icon beside it, so that
 * the page needs no file and no build of the user's at run time. Part of `npm run generate`.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const folder = "adapters/surfaces/page/assets";

/** One sheet, in this order: later rules win. */
const STYLES = "ground top controls parts list item timeline facts decision reports small".split(" ");

const read = (file: string): string => readFileSync(join(root, folder, file), "utf8");

const constant = (name: string, text: string): string => {
  const lines = text.split("\n").map((line) => `  ${JSON.stringify(line)},`);
  return `export const ${name} = [\n${lines.join("\n")}\n].join("\\n");`;
};

/** Comments are for whoever reads the sources. */
const style = (): string =>
  STYLES.map((name) => read(`style/${name}.css`))
    .join("\n")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\n\s*/g, "\n")
    .trim();

/** Path from the root of the repository -> full text. */
export function generateAssets(): Record<string, string> {
  const text = [
    "// Generated from style/*.css, page.js, keys.js and icon.svg by scripts/generate-assets.ts. Do not edit.",
    constant("STYLE", style()),
    constant("SCRIPT", read("page.js")),
    constant("KEYS", read("keys.js")),
    constant("ICON", read("icon.svg").trim()),
  ];
  return { [`${folder}/assets.gen.ts`]: `${text.join("\n\n")}\n` };
}
