/** The demo's output: who does what, line by line, and a table. */

const STYLES = { bold: 1, dim: 2, red: 31, green: 32 } as const;
type Paint = Readonly<Record<keyof typeof STYLES, (text: string) => string>>;

const painter = (colour: boolean): Paint =>
  Object.fromEntries(
    Object.entries(STYLES).map(([name, code]) => [
      name,
      (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text),
    ]),
  ) as Paint;

export interface Screen {
  say(text?: string): void;
  title(text: string): void;
  /** One line of the story: `who` did `what`. */
  line(who: string, what: string): void;
  readonly paint: Paint;
}

const WHO = 10;
const WIDTH = 92;

export function newScreen(colour: boolean): Screen {
  const paint = painter(colour);
  return {
    paint,
    say: (text = "") => void process.stdout.write(`${text}\n`),
    title: (text) => void process.stdout.write(`\n${paint.bold(text)}\n`),
    line(who, what) {
      const [first = "", ...rest] = wrap(what, WIDTH - WHO);
      const lines = [`  ${paint.dim(who.padEnd(WHO - 2))}${first}`, ...rest.map((text) => `${" ".repeat(WHO)}${text}`)];
      process.stdout.write(`${lines.join("\n")}\n`);
    },
  };
}

export const silent: Screen = { say() {}, title() {}, line() {}, paint: painter(false) };

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
