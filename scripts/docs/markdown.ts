/** The little Markdown that the reference pages are made of. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;

export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(heads), `|${heads.map(() => "---|").join("")}`, ...rows.map(row)].join("\n");

export const code = (text: string): string => `\`${text}\``;
export const codes = (texts: readonly string[]): string => texts.map(code).join(", ");

/** Parts of a page, apart by an empty line; the first line says where the page comes from. */
export const page = (...parts: readonly string[]): string =>
  `${["<!-- Printed by scripts/generate-docs.ts from the code. Do not edit. -->", ...parts].join("\n\n")}\n`;
