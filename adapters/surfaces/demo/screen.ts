/** The demo's output: who does what, line by line, and a table. Colour only on a terminal. */

const colour = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const paint = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = (text: string) => paint(1, text);
export const dim = (text: string) => paint(2, text);
export const red = (text: string) => paint(31, text);
export const green = (text: string) => paint(32, text);

export interface Screen {
  say(text?: string): void;
  title(text: string): void;
  /** One line of the story: `who` did `what`. */
  line(who: string, what: string): void;
}

const WHO = 10;
const WIDTH = 92;

export const terminal: Screen = {
  say: (text = "") => void process.stdout.write(`${text}\n`),
  title: (text) => void process.stdout.write(`\n${bold(text)}\n`),
  line(who, what) {
    const [first = "", ...rest] = wrap(what, WIDTH - WHO);
    const lines = [`  ${dim(who.padEnd(WHO - 2))}${first}`, ...rest.map((text) => `${" ".repeat(WHO)}${text}`)];
    process.stdout.write(`${lines.join("\n")}\n`);
  },
};

export const silent: Screen = { say() {}, title() {}, line() {} };

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
