/** The text of a session: who said or did what, line by line, the same at every run. */

const WIDTH = 112;
const WHO = 10;

export interface Transcript {
  line(who: string, text: string): void;
  /** A line across the page. */
  scene(text: string): void;
  text(): string;
}

export function transcript(title: string): Transcript {
  const lines: string[] = [`# ${title}`];
  const normalised = normaliser();
  return {
    line: (who, text) => lines.push(...hanging(who.padEnd(WHO), normalised(text))),
    scene: (text) => lines.push("", `--- ${text}`),
    text: () => `${lines.join("\n")}\n`,
  };
}

/** Long texts are folded, so that a changed word shows as a changed line. */
function hanging(head: string, text: string): string[] {
  const rows: string[] = [];
  for (const paragraph of text.split("\n")) {
    let row = "";
    for (const word of paragraph.split(" ")) {
      if (row !== "" && row.length + word.length + 1 > WIDTH - WHO) {
        rows.push(row);
        row = word;
      } else row = row === "" ? word : `${row} ${word}`;
    }
    rows.push(row);
  }
  return rows.map((row, index) => `${index === 0 ? head : " ".repeat(WHO)}${row}`.trimEnd());
}

/** Operation ids become names by first appearance; keys, times, ports and folders become words. */
function normaliser(): (text: string) => string {
  const names = new Map<string, string>();
  const name = (id: string) => {
    const known = names.get(id) ?? `operation-${names.size + 1}`;
    names.set(id, known);
    return known;
  };
  return (text) =>
    text
      .replace(/\b[0-9a-hjkmnp-tv-z]{10}_[0-9a-hjkmnp-tv-z]{26}\b/g, name)
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "KEY")
      .replace(/\bch_\d+\b/g, "ch_N")
      .replace(/\bfor \d+ s\b/g, "for N s")
      .replace(/\bIn \d+ s\b/g, "In N s")
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
      .replace(/\/[\w./-]*indoubt-[\w-]*/g, "FOLDER");
}
