/**
 * Makes `adapters/stores/redis/scripts.gen.ts` from the Lua files beside it: `tsx scripts/generate-lua.ts`, or `--check`
 * to fail when the committed module is out of date. The header of a Lua file is its signature:
 *
 *     -- @key record   string                 a KEYS entry, and the local name under which the script reads it
 *     -- @arg limit: integer                  an argument: word, integer, flag, text, list, change or changes
 *     -- @uses group write                    files `_group.lua` and `_write.lua` go before it
 *     -- @inline write                        in the body: the text of `_write.lua`, in a block of its own
 *     -- @field id: text                      (in `_change.lua`) one value of a composite argument
 *
 * Words, integers, flags and the lengths of lists travel in one argument, joined by "|", which no word contains: each
 * argument less saves time on both sides. Texts and items of lists follow, one argument each.
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

type ArgType = "word" | "integer" | "flag" | "text" | "list" | "change" | "changes";
const ARG_TYPES: readonly string[] = [
  "word",
  "integer",
  "flag",
  "text",
  "list",
  "change",
  "changes",
] satisfies ArgType[];
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

function tags(text: string, tag: string): string[] {
  return [...text.matchAll(new RegExp(`^-- @${tag} +(.*)$`, "gm"))].map((match) => match[1] ?? "");
}

function parameters(text: string, tag: string, file: string): Parameter[] {
  return tags(text, tag).map((line) => {
    const [, name, type] = /^(\w+): (\w+)/.exec(line) ?? [];
    if (!name || !type || !ARG_TYPES.includes(type)) throw new Error(`${file}: cannot read "@${tag} ${line}".`);
    return { name, type: type as ArgType };
  });
}

/** The text without comments; other files where `@inline` wants them. */
function stripped(text: string, read: ReadLua): string {
  const lines = text.split("\n").flatMap((line) => {
    const [, name] = /^ *-- @inline (\w+)$/.exec(line) ?? [];
    if (name) return ["do", stripped(read(`_${name}.lua`), read), "end"];
    return line.trim() === "" || line.trim().startsWith("--") ? [] : [line.trim().replace(/ -- .*/, "")];
  });
  return lines.join("\n");
}

/** The parts of an argument list in the order in which they travel. */
function partsOf(args: readonly Parameter[], fields: readonly Parameter[]) {
  const flat = args.flatMap((arg): Parameter[] =>
    arg.type === "change" ? fields.map(({ name, type }) => ({ name: `${arg.name}.${name}`, type })) : [arg],
  );
  const of = (...types: ArgType[]) => flat.filter(({ type }) => types.includes(type));
  return { head: of("word", "integer", "flag"), texts: of("text"), lists: of("list", "changes") };
}

/** Reads one head with its texts and lists; `at` is the position of the head. */
function readParts({ head, texts, lists }: ReturnType<typeof partsOf>, at: string): string[] {
  const counts = lists.map((_, index) => `count_${index + 1}`);
  const names = [...head.map(({ name }) => name), ...counts];
  const pattern = `^${names.map(() => "([^|]*)").join("|")}$`;
  const locals = names.filter((name) => !name.includes("."));
  const offset = (index: number) => (at === "0" ? `${index}` : `${at} + ${index}`);
  const move = at === "0" ? `local position = ${texts.length + 1}` : `position = position + ${texts.length + 1}`;
  return [
    ...(locals.length > 0 ? [`local ${locals.join(", ")}`] : []),
    ...(names.length > 0 ? [`${names.join(", ")} = string.match(ARGV[${offset(1)}], '${pattern}')`] : []),
    ...head.filter(({ type }) => type === "integer").map(({ name }) => `${name} = tonumber(${name})`),
    ...head.filter(({ type }) => type === "flag").map(({ name }) => `${name} = ${name} == '1'`),
    ...texts.map(({ name }, index) => `${name.includes(".") ? "" : "local "}${name} = ARGV[${offset(index + 2)}]`),
    ...(lists.length > 0 ? [move] : []),
    ...lists.map(({ name, type }, index) => {
      const take = type === "changes" ? "take_changes" : "take";
      return `${name.includes(".") ? "" : "local "}${name} = ${take}(count_${index + 1})`;
    }),
  ];
}

const TAKE = `local none = {}
local function take(count)
if count == '0' then return none end
local items = {}
for i = 1, count do items[i] = ARGV[position + i] end
position = position + count
return items
end`;

/** A table that need not grow: Lua would move it four times on the way to so many fields. */
const emptyChange = (name: string, fields: readonly Parameter[]): string =>
  `local ${name} = { ${fields.map((field) => `${field.name} = false`).join(", ")} }`;

/** The lines that give the arguments their names. */
function bind(args: readonly Parameter[], fields: readonly Parameter[]): string[] {
  if (args.length === 0) return [];
  const lines = args.filter(({ type }) => type === "change").map(({ name }) => emptyChange(name, fields));
  const read = readParts(partsOf(args, fields), "0");
  const start = read.findIndex((line) => line.startsWith("local position"));
  if (start < 0) return [...lines, ...read];
  const helpers = [TAKE];
  if (args.some(({ type }) => type === "changes")) {
    const one = readParts(partsOf([{ name: "change", type: "change" }], fields), "position");
    helpers.push(
      [
        "local function take_changes(count)",
        "local items = {}",
        "for i = 1, count do",
        emptyChange("change", fields),
      ].join("\n"),
      [...one, "items[i] = change", "end", "return items", "end"].join("\n"),
    );
  }
  return [...lines, ...read.slice(0, start + 1), ...helpers, ...read.slice(start + 1)];
}

function compose(file: string, read: ReadLua, strict: boolean): LuaScript {
  const text = read(file);
  const fields = parameters(read("_change.lua"), "field", "_change.lua");
  const keys = tags(text, "key").map((line) => line.split(/\s+/)[0] ?? "");
  const args = parameters(text, "arg", file);
  const uses = tags(text, "uses").flatMap((line) => line.split(/\s+/));
  const body = [...uses.map((name) => stripped(read(`_${name}.lua`), read)), stripped(text, read)].join("\n");
  if (strict) {
    check(file, body, [...keys, ...args.map(({ name }) => name)]);
    if (args.some(({ type }) => type.startsWith("change"))) checkFields(file, body, fields);
  }
  const bound = [
    `local ${keys.join(", ")} = ${keys.map((_, index) => `KEYS[${index + 1}]`).join(", ")}`,
    ...bind(args, fields),
  ];
  const lua = [...bound, body].join("\n");
  const title = /^-- (.*)$/m.exec(text)?.[1] ?? "";
  return { name: file.replace(/\.lua$/, ""), title, reply: tags(text, "reply")[0] ?? "", keys, args, lua };
}

function checkFields(file: string, body: string, fields: readonly Parameter[]): void {
  const unread = fields.map(({ name }) => name).filter((name) => !usesField(body, name));
  if (unread.length > 0) throw new Error(`${file}: fields never read: ${unread.join(", ")}.`);
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

/**
 * All scripts, with the text that is sent to the server.
 * @param read where the text of a file comes from
 * @param options.strict false lets a script leave a declared name unread, as a broken one may. @default true
 */
export function luaScripts(read: ReadLua = readCommitted, options: { strict?: boolean } = {}): LuaScript[] {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith(".lua") && !file.startsWith("_"));
  return files.sort().map((file) => compose(file, read, options.strict ?? true));
}

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const tsTypes: Readonly<Record<ArgType, string>> = {
  word: "string",
  integer: "number",
  flag: "boolean",
  text: "string",
  list: "readonly string[]",
  change: "ScriptChange",
  changes: "readonly ScriptChange[]",
};

function interfaceOf(name: string, members: readonly Parameter[]): string {
  const lines = members.map((member) => `  readonly ${camel(member.name)}: ${tsTypes[member.type]};`);
  return `export interface ${name} {\n${lines.join("\n")}\n}`;
}

/** The lines that put `from` into `out`, in the order of {@link readParts}. */
function pushParts({ head, texts, lists }: ReturnType<typeof partsOf>, from: string): string[] {
  const member = ({ name }: Parameter) =>
    `${from}${name
      .split(".")
      .map((part) => `.${camel(part)}`)
      .join("")}`;
  const words = [
    ...head.map((part) => (part.type === "flag" ? `\${${member(part)} ? 1 : 0}` : `\${${member(part)}}`)),
    ...lists.map((part) => `\${${member(part)}.length}`),
  ];
  return [
    `out.push(${[`\`${words.join("|")}\``, ...texts.map(member)].join(", ")});`,
    ...lists.map((part) => {
      if (part.type === "list") return `for (const item of ${member(part)}) out.push(item);`;
      return `for (const change of ${member(part)}) pushChange(out, change);`;
    }),
  ];
}

function moduleOf({ name, title, reply, keys, args, lua }: LuaScript, fields: readonly Parameter[]): string {
  const pascal = name.charAt(0).toUpperCase() + camel(name).slice(1);
  const keyMembers = keys.map((key): Parameter => ({ name: key, type: "text" }));
  const lines = args.length > 0 ? pushParts(partsOf(args, fields), "args") : [];
  const signature = `run: RunScript, keys: ${pascal}Keys${args.length > 0 ? `, args: ${pascal}Args` : ""}`;
  return [
    interfaceOf(`${pascal}Keys`, keyMembers),
    ...(args.length > 0 ? [interfaceOf(`${pascal}Args`, args)] : []),
    `/** ${title} Reply: ${reply}. */`,
    `export function ${camel(name)}Script(${signature}): Promise<unknown> {`,
    `  const out: string[] = [${keys.map((key) => `keys.${camel(key)}`).join(", ")}];`,
    ...lines.map((line) => `  ${line}`),
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
    "export type RunScript = (name: ScriptName, keysAndArgs: string[]) => Promise<unknown>;",
    interfaceOf("ScriptChange", fields),
    "function pushChange(out: string[], change: ScriptChange): void {",
    ...pushParts(partsOf([{ name: "change", type: "change" }], fields), "").map(
      (line) => `  ${line.replaceAll("{.", "{").replaceAll(" .", " ")}`,
    ),
    "}",
    ...scripts.map((script) => moduleOf(script, fields)),
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
