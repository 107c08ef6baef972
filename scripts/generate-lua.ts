/**
 * Makes `adapters/stores/redis/scripts.gen.ts` from the Lua files beside it: `tsx scripts/generate-lua.ts`, or `--check`
 * to fail when the committed module is out of date. The header of a Lua file is its signature:
 *
 *     -- @key record   string                 a KEYS entry, and the local name under which the script reads it
 *     -- @arg limit: integer                  an ARGV entry: text, integer, flag, list, change or changes
 *     -- @uses group write                    files `_group.lua` and `_write.lua` go before it
 *     -- @field id: text                      (in `_change.lua`) one value of a composite argument
 *
 * The script reads these names, never KEYS or ARGV. A name that is declared and not read, or read and not declared, is
 * an error here.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "..");
const folder = "adapters/stores/redis/lua";
const target = "adapters/stores/redis/scripts.gen.ts";

type ArgType = "text" | "integer" | "flag" | "list" | "change" | "changes";
interface Parameter {
  readonly name: string;
  readonly type: ArgType;
}
export interface LuaScript {
  readonly name: string;
  readonly title: string;
  readonly reply: string;
  readonly keys: readonly string[];
  readonly args: readonly Parameter[];
  /** The whole text, as it is sent to the server. */
  readonly lua: string;
}

/** Reads one Lua file by its name. */
export type ReadLua = (file: string) => string;
const readCommitted: ReadLua = (file) => readFileSync(join(root, folder, file), "utf8");

const readers: Readonly<Record<ArgType, string>> = {
  text: "local position = 0\nlocal function read_text()\nposition = position + 1\nreturn ARGV[position]\nend",
  integer: "local function read_integer() return tonumber(read_text()) end",
  flag: "local function read_flag() return read_text() == '1' end",
  list:
    "local function read_list()\nlocal items = {}\n" +
    "for i = 1, tonumber(read_text()) do items[i] = read_text() end\nreturn items\nend",
  change: "", // made from the fields of _change.lua
  changes:
    "local function read_changes()\nlocal items = {}\n" +
    "for i = 1, tonumber(read_text()) do items[i] = read_change() end\nreturn items\nend",
};

function tags(text: string, tag: string): string[] {
  return [...text.matchAll(new RegExp(`^-- @${tag} +(.*)$`, "gm"))].map((match) => match[1] ?? "");
}

function parameters(text: string, tag: string, file: string): Parameter[] {
  return tags(text, tag).map((line) => {
    const [, name, type] = /^(\w+): (\w+)/.exec(line) ?? [];
    if (!name || !type || !(type in readers)) throw new Error(`${file}: cannot read "@${tag} ${line}".`);
    return { name, type: type as ArgType };
  });
}

const stripped = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("--"))
    .join("\n");

function changeReader(fields: readonly Parameter[]): string {
  const lines = fields.map(({ name, type }) => `change.${name} = read_${type}()`);
  return ["local function read_change()", "local change = {}", ...lines, "return change", "end"].join("\n");
}

function readersFor(args: readonly Parameter[], fields: readonly Parameter[]): string[] {
  const needed = new Set<ArgType>(args.map(({ type }) => type));
  if (needed.has("changes")) needed.add("change");
  if (needed.has("change")) for (const { type } of fields) needed.add(type);
  if (needed.size > 0) needed.add("text");
  const all = { ...readers, change: changeReader(fields) };
  return (Object.keys(all) as ArgType[]).filter((type) => needed.has(type)).map((type) => all[type]);
}

function compose(file: string, read: ReadLua): LuaScript {
  const text = read(file);
  const fields = parameters(read("_change.lua"), "field", "_change.lua");
  const keys = tags(text, "key").map((line) => line.split(/\s+/)[0] ?? "");
  const args = parameters(text, "arg", file);
  const uses = tags(text, "uses").flatMap((line) => line.split(/\s+/));
  const body = [...uses.map((name) => stripped(read(`_${name}.lua`))), stripped(text)].join("\n");
  check(file, body, [...keys, ...args.map(({ name }) => name)]);
  if (args.some(({ type }) => type.startsWith("change"))) {
    const unread = fields.filter(({ name }) => !usesField(body, name));
    if (unread.length > 0) throw new Error(`${file}: fields never read: ${unread.map(({ name }) => name).join(", ")}.`);
  }
  const bound = [
    `local ${keys.join(", ")} = ${keys.map((_, index) => `KEYS[${index + 1}]`).join(", ")}`,
    ...readersFor(args, fields),
    ...args.map(({ name, type }) => `local ${name} = read_${type}()`),
  ];
  const lua = [...bound, body].join("\n");
  const title = /^-- (.*)$/m.exec(text)?.[1] ?? "";
  return { name: file.replace(/\.lua$/, ""), title, reply: tags(text, "reply")[0] ?? "", keys, args, lua };
}

function check(file: string, body: string, declared: readonly string[]): void {
  if (/\b(KEYS|ARGV)\b/.test(body)) throw new Error(`${file}: read the declared names instead of KEYS and ARGV.`);
  const unread = declared.filter((name) => !usesName(body, name));
  if (unread.length > 0) throw new Error(`${file}: declared and never read: ${unread.join(", ")}.`);
  const undeclared = undeclaredNames(body, declared);
  if (undeclared.length > 0) throw new Error(`${file}: read and never declared: ${undeclared.join(", ")}.`);
}

// Names in Lua text: enough of the language to tell which names a script reads and which it declares.
const KEYWORDS = new Set(
  "and break do else elseif end false for function if in local nil not or repeat return then true until while".split(
    " ",
  ),
);
const BUILT_IN = new Set(["redis", "string", "math", "table", "tonumber", "tostring", "ipairs", "pairs", "pcall"]);

const withoutStrings = (text: string): string => text.replace(/'(?:\\.|[^'\\])*'/g, "''");
/** Names that are not a member (`a.name`, `a:name`). */
const names = (text: string): string[] =>
  [...withoutStrings(text).matchAll(/(?<![.:\w]|\.\.)[A-Za-z_]\w*/g)].map(([name]) => name);

const usesName = (text: string, name: string): boolean => names(text).includes(name);
const usesField = (text: string, field: string): boolean => new RegExp(`\\.${field}\\b`).test(text);

/** Names that are read although neither the text nor `declared` introduces them. */
function undeclaredNames(text: string, declared: readonly string[]): string[] {
  const known = new Set([...declared, ...KEYWORDS, ...BUILT_IN]);
  const code = withoutStrings(text);
  const lists = [
    ...code.matchAll(/\blocal ([\w, ]+)/g),
    ...code.matchAll(/\bfor ([\w, ]+?) (?:in|=)/g),
    ...code.matchAll(/\bfunction \w*\(([\w, ]*)/g),
    ...code.matchAll(/\blocal function (\w+)/g),
  ];
  for (const [, list = ""] of lists) for (const name of list.split(",")) known.add(name.trim());
  return [...new Set(names(text).filter((name) => !known.has(name)))];
}

/** All scripts, with the text that is sent to the server. @param read where the text of a file comes from */
export function luaScripts(read: ReadLua = readCommitted): LuaScript[] {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith(".lua") && !file.startsWith("_"));
  return files.sort().map((file) => compose(file, read));
}

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const tsTypes: Readonly<Record<ArgType, string>> = {
  text: "string",
  integer: "number",
  flag: "boolean",
  list: "readonly string[]",
  change: "ScriptChange",
  changes: "readonly ScriptChange[]",
};
const pushes: Readonly<Record<ArgType, (value: string) => string>> = {
  text: (value) => `out.push(${value});`,
  integer: (value) => `out.push(${value});`,
  flag: (value) => `out.push(${value} ? 1 : 0);`,
  list: (value) => `out.push(${value}.length, ...${value});`,
  change: (value) => `pushChange(out, ${value});`,
  changes: (value) => `out.push(${value}.length);\n  for (const each of ${value}) pushChange(out, each);`,
};

function interfaceOf(name: string, members: readonly Parameter[]): string {
  const lines = members.map((member) => `  readonly ${camel(member.name)}: ${tsTypes[member.type]};`);
  return `export interface ${name} {\n${lines.join("\n")}\n}`;
}

function moduleOf({ name, title, reply, keys, args, lua }: LuaScript): string {
  const pascal = name.charAt(0).toUpperCase() + camel(name).slice(1);
  const keyMembers = keys.map((key): Parameter => ({ name: key, type: "text" }));
  const lines = args.map((arg) => `  ${pushes[arg.type](`args.${camel(arg.name)}`)}`);
  return [
    interfaceOf(`${pascal}Keys`, keyMembers),
    interfaceOf(`${pascal}Args`, args),
    `/** ${title} Reply: ${reply}. */`,
    `export function ${camel(name)}Script(run: RunScript, keys: ${pascal}Keys, args: ${pascal}Args): Promise<unknown> {`,
    `  const out: (string | number)[] = [${keys.map((key) => `keys.${camel(key)}`).join(", ")}];`,
    ...lines,
    `  return run("${name}", out);`,
    "}",
    `const ${camel(name)}Lua = ${JSON.stringify(lua.split("\n"), null, 2)}.join("\\n");`,
  ].join("\n");
}

/** Path -> text of the generated module. */
export function generateLua(): Record<string, string> {
  const scripts = luaScripts();
  const fields = parameters(readCommitted("_change.lua"), "field", "_change.lua");
  const text = [
    "// Generated from lua/*.lua by scripts/generate-lua.ts. Do not edit.",
    `export type ScriptName = ${scripts.map(({ name }) => `"${name}"`).join(" | ")};`,
    "/** Sends a script: its keys first, then its arguments. */",
    "export type RunScript = (name: ScriptName, keysAndArgs: (string | number)[]) => Promise<unknown>;",
    interfaceOf("ScriptChange", fields),
    "function pushChange(out: (string | number)[], change: ScriptChange): void {",
    ...fields.map((field) => `  ${pushes[field.type](`change.${camel(field.name)}`)}`),
    "}",
    ...scripts.map(moduleOf),
    "/** Text and number of keys of each script. */",
    "export const SCRIPTS: Readonly<Record<ScriptName, { readonly lua: string; readonly numberOfKeys: number }>> = {",
    ...scripts.map(({ name, keys }) => `  ${name}: { lua: ${camel(name)}Lua, numberOfKeys: ${keys.length} },`),
    "};",
  ];
  return { [target]: `${text.join("\n")}\n` };
}

function main(): void {
  for (const [path, text] of Object.entries(generateLua())) {
    const file = join(root, path);
    if (!process.argv.includes("--check")) writeFileSync(file, text);
    else if (readFileSync(file, "utf8") !== text) {
      console.error(`${path} is out of date: npx tsx scripts/generate-lua.ts, and commit it.`);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main();
