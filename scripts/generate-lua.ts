/**
 * Makes `adapters/stores/redis/scripts.gen.ts` from the Lua files beside it: `tsx scripts/generate-lua.ts`, or `--check`
 * to fail when the committed module is out of date. The header of a Lua file is its signature:
 *
 *     -- @key record   string                 a KEYS entry, and the local name under which the script reads it
 *     -- @more_keys                           further KEYS, which only a cluster looks at
 *     -- @arg limit: integer                  an argument: word, integer, flag, text, list, or a list of changes or intents
 *     -- @uses group write                    files `_group.lua` and `_write.lua` go before it
 *     -- @inline write                        in the body: the text of `_write.lua`, in a block of its own
 *     -- @field id: text                      (in `_change.lua`, `_intent.lua`) one value of a composite argument
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

/** Lists of composites, and the name of one; each is read by a helper that may need those before it. */
const COMPOSITES = { changes: "change", intents: "intent" } as const;
type Composites = keyof typeof COMPOSITES;
type ArgType = "word" | "integer" | "flag" | "text" | "list" | Composites;
const ARG_TYPES: readonly string[] = [
  "word",
  "integer",
  "flag",
  "text",
  "list",
  "changes",
  "intents",
] satisfies ArgType[];
const isComposites = (type: ArgType): type is Composites => type in COMPOSITES;
interface Parameter {
  readonly name: string;
  readonly type: ArgType;
}
export interface LuaScript {
  readonly name: string;
  readonly title: string;
  readonly reply: string;
  readonly keys: readonly string[];
  /** Whether further keys may follow. */
  readonly moreKeys: boolean;
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
function partsOf(args: readonly Parameter[]) {
  const of = (...types: ArgType[]) => args.filter(({ type }) => types.includes(type));
  return { head: of("word", "integer", "flag"), texts: of("text"), lists: of("list", "changes", "intents") };
}

type Fields = Readonly<Record<Composites, readonly Parameter[]>>;

/** What one item of a list of composites has; the names as they are read. */
const fieldsOf = (read: ReadLua): Fields => ({
  changes: parameters(read("_change.lua"), "field", "_change.lua"),
  intents: parameters(read("_intent.lua"), "field", "_intent.lua"),
});

const within = (one: string, fields: readonly Parameter[]): Parameter[] =>
  fields.map(({ name, type }) => ({ name: `${one}.${name}`, type }));

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
      const take = isComposites(type) ? `take_${type}` : "take";
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

/** The table need not grow: Lua would move it four times on the way to so many fields. */
function takeComposites(type: Composites, fields: readonly Parameter[]): string {
  const one = COMPOSITES[type];
  return [
    `local function take_${type}(count)`,
    "if count == '0' then return none end",
    "local items = {}",
    "for i = 1, count do",
    `local ${one} = { ${fields.map((field) => `${field.name} = false`).join(", ")} }`,
    ...readParts(partsOf(within(one, fields)), "position"),
    `items[i] = ${one}`,
    "end",
    "return items",
    "end",
  ].join("\n");
}

/** The composites of a script, also those inside others, in the order in which their helpers are declared. */
function compositesIn(args: readonly Parameter[], fields: Fields): Composites[] {
  const found = args.flatMap(({ type }) => (isComposites(type) ? [...compositesIn(fields[type], fields), type] : []));
  return [...new Set(found)];
}

/** The lines that give the arguments their names. */
function bind(args: readonly Parameter[], fields: Fields): string[] {
  if (args.length === 0) return [];
  const read = readParts(partsOf(args), "0");
  const start = read.findIndex((line) => line.startsWith("local position"));
  if (start < 0) return read;
  const helpers = compositesIn(args, fields).map((type) => takeComposites(type, fields[type]));
  return [...read.slice(0, start + 1), TAKE, ...helpers, ...read.slice(start + 1)];
}

function compose(file: string, read: ReadLua, strict: boolean): LuaScript {
  const text = read(file);
  const fields = fieldsOf(read);
  const keys = tags(text, "key").map((line) => line.split(/\s+/)[0] ?? "");
  const args = parameters(text, "arg", file);
  const uses = tags(text, "uses").flatMap((line) => line.split(/\s+/));
  const body = [...uses.map((name) => stripped(read(`_${name}.lua`), read)), stripped(text, read)].join("\n");
  if (strict) {
    check(file, body, [...keys, ...args.map(({ name }) => name)]);
    for (const type of compositesIn(args, fields)) checkFields(file, body, fields[type]);
  }
  const bound = [
    `local ${keys.join(", ")} = ${keys.map((_, index) => `KEYS[${index + 1}]`).join(", ")}`,
    ...bind(args, fields),
  ];
  const lua = [...bound, body].join("\n");
  const title = /^-- (.*)$/m.exec(text)?.[1] ?? "";
  const reply = tags(text, "reply")[0] ?? "";
  return { name: file.replace(/\.lua$/, ""), title, reply, keys, moreKeys: /^-- @more_keys/m.test(text), args, lua };
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
const pascal = (name: string): string => name.charAt(0).toUpperCase() + camel(name).slice(1);
const tsTypes: Readonly<Record<ArgType, string>> = {
  word: "string",
  integer: "number",
  flag: "boolean",
  text: "string",
  list: "readonly string[]",
  changes: "readonly ScriptChange[]",
  intents: "readonly ScriptIntent[]",
};

function interfaceOf(name: string, members: readonly Parameter[]): string {
  const lines = members.map((member) => `  readonly ${camel(member.name)}: ${tsTypes[member.type]};`);
  return `export interface ${name} {\n${lines.join("\n")}\n}`;
}

/** The lines that put `from` into `out`, in the order of {@link readParts}. */
function pushParts({ head, texts, lists }: ReturnType<typeof partsOf>, from: string): string[] {
  const member = ({ name }: Parameter) => `${from}.${camel(name)}`;
  const words = [
    ...head.map((part) => (part.type === "flag" ? `\${${member(part)} ? 1 : 0}` : `\${${member(part)}}`)),
    ...lists.map((part) => `\${${member(part)}.length}`),
  ];
  return [
    `out.push(${[`\`${words.join("|")}\``, ...texts.map(member)].join(", ")});`,
    ...lists.map((part) => {
      if (part.type === "list") return `for (const item of ${member(part)}) out.push(item);`;
      const one = COMPOSITES[part.type as Composites];
      return `for (const ${one} of ${member(part)}) push${pascal(one)}(out, ${one});`;
    }),
  ];
}

function moduleOf({ name, title, reply, keys, moreKeys, args, lua }: LuaScript): string {
  const type = pascal(name);
  const keyMembers = keys.map((key): Parameter => ({ name: key, type: "text" }));
  const lines = args.length > 0 ? pushParts(partsOf(args), "args") : [];
  const signature = [
    "run: RunScript",
    `keys: ${type}Keys`,
    ...(args.length > 0 ? [`args: ${type}Args`] : []),
    ...(moreKeys ? ["more: readonly string[]"] : []),
  ];
  const count = moreKeys ? `String(${keys.length} + more.length)` : `"${keys.length}"`;
  const named = keys.map((key) => `keys.${camel(key)}`);
  return [
    interfaceOf(`${type}Keys`, keyMembers),
    ...(args.length > 0 ? [interfaceOf(`${type}Args`, args)] : []),
    `/** ${title} Reply: ${reply}. */`,
    `export function ${camel(name)}Script(${signature.join(", ")}): Promise<unknown> {`,
    `  const out: string[] = [${[count, ...named].join(", ")}];`,
    ...(moreKeys ? ["  for (const key of more) out.push(key);"] : []),
    ...lines.map((line) => `  ${line}`),
    `  return run("${name}", out);`,
    "}",
    `const ${camel(name)}Lua = ${JSON.stringify(lua.split("\n"), null, 2)}.join("\\n");`,
  ].join("\n");
}

/** Type and writer of one item of a list of composites. */
function compositeOf(one: string, fields: readonly Parameter[]): string {
  return [
    interfaceOf(`Script${pascal(one)}`, fields),
    `function push${pascal(one)}(out: string[], ${one}: Script${pascal(one)}): void {`,
    ...pushParts(partsOf(fields), one).map((line) => `  ${line}`),
    "}",
  ].join("\n");
}

/** Path -> text of the generated module. */
export function generateLua(): Record<string, string> {
  const scripts = luaScripts();
  const fields = fieldsOf(readCommitted);
  const text = [
    "// Generated from lua/*.lua by scripts/generate-lua.ts. Do not edit.",
    `export type ScriptName = ${scripts.map(({ name }) => `"${name}"`).join(" | ")};`,
    "/** Sends a script: the count of its keys first, then its keys, then its arguments. */",
    "export type RunScript = (name: ScriptName, keysAndArgs: string[]) => Promise<unknown>;",
    ...Object.entries(COMPOSITES).map(([type, one]) => compositeOf(one, fields[type as Composites])),
    ...scripts.map((script) => moduleOf(script)),
    "/** Text of each script. */",
    "export const SCRIPTS: Readonly<Record<ScriptName, { readonly lua: string }>> = {",
    ...scripts.map(({ name }) => `  ${name}: { lua: ${camel(name)}Lua },`),
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
