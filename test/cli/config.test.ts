/** The configuration file: what it may say, how mistakes are told, where values come from. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { loadConfig, openGuard, openStore, resolveServer } from "../../adapters/surfaces/setup/index.ts";
import { guardPolicies, parseConfigFile } from "../../src/entries/config.ts";
import { createGuard } from "../../src/index.ts";
import { errorOf, newFolder, run } from "./support/command.ts";
import { root } from "./support/outputs.ts";

vi.setConfig({ testTimeout: 60_000 });

function folderWith(config: unknown, name = "indoubt.config.json"): string {
  const cwd = newFolder();
  writeFileSync(join(cwd, name), typeof config === "string" ? config : JSON.stringify(config));
  return cwd;
}
const problemsOf = async (config: unknown): Promise<string> =>
  loadConfig({ cwd: folderWith(config) }).then(
    () => "",
    (error: Error) => error.message,
  );

test.each([
  ["an unknown key", { stor: "x" }, /^ {2}stor: unknown option/m],
  ["an unknown key of a server", { servers: { a: { tols: {} } } }, /servers\.a\.tols: unknown option/],
  ["a wrong unit", { deadline: "5 sec" }, /deadline: "5 sec" is not a duration/],
  [
    "a wrong unit of a tool",
    { servers: { a: { tools: { t: { settle: "1w" } } } } },
    /servers\.a\.tools\.t\.settle: "1w"/,
  ],
  ["a wrong unit of the store", { store: { address: "x", commandTimeout: "2 sec" } }, /store\.commandTimeout: "2 sec"/],
  ["a pointer that is none", { servers: { a: { tools: { t: { identityArgs: ["order"] } } } } }, /not a JSON Pointer/],
  [
    "two ways to a server",
    { servers: { a: { command: "x", url: "http://localhost" } } },
    /servers\.a\.url: .*not both/,
  ],
  ["arguments of nothing", { servers: { a: { args: ["x"] } } }, /servers\.a\.args: belongs to a command/],
  ["an address that is none", { servers: { a: { url: "ftp://x" } } }, /servers\.a\.url: an http/],
  ["a short secret", { secret: "short" }, /secret: write \{ "env"/],
  ["a variable that is none", { secret: { env: "1 2" } }, /secret\.env: the name of an environment variable/],
  ["a namespace with spaces", { namespace: "a b" }, /namespace: 1 to 32/],
  ["a template without a name", { urlTemplate: "https://x.example" }, /urlTemplate: it names nothing/],
  ["a template that is no web address", { urlTemplate: "javascript:alert({id})" }, /urlTemplate: it must be an http/],
  ["a template with a misspelt name", { urlTemplate: "https://x.example/{nr}" }, /urlTemplate: \{nr\} is none of/],
  [
    "a contract that is none",
    { servers: { a: { tools: { t: { contract: { dedupes: "key", window: "1 hour" } } } } } },
    /contract\.window: "1 hour" is not a duration/,
  ],
])("%s is an error with its path", async (_name, config, message) => {
  expect(await problemsOf(config)).toMatch(message);
});

test("all mistakes are told at once, with the name of the file, by the command too", async () => {
  const cwd = folderWith({ stor: "x", deadline: "5 sec" });
  const ran = await run(["queue", "list", "--json"], { cwd });
  expect(ran.code).toBe(3);
  const { message } = errorOf(ran);
  expect(message).toContain(join(cwd, "indoubt.config.json"));
  expect(message).toMatch(/stor: unknown option/);
  expect(message).toMatch(/deadline: "5 sec"/);
});

test("text that is no JSON, a module without default, two files", async () => {
  expect(await problemsOf("{ no json")).toMatch(/is no JSON/);
  await expect(loadConfig({ cwd: folderWith("export const a = 1;", "indoubt.config.mjs") })).rejects.toThrow(
    /no default export/,
  );
  const both = folderWith({});
  writeFileSync(join(both, "indoubt.config.mjs"), "export default {};");
  await expect(loadConfig({ cwd: both })).rejects.toThrow(/two configuration files/);
});

test("$schema is allowed, and the published schema names every option of the file", () => {
  const schema = JSON.parse(readFileSync(join(root, "config.schema.json"), "utf8"));
  expect(parseConfigFile({ $schema: "./node_modules/indoubt/config.schema.json" })).toMatchObject({ servers: {} });
  expect(Object.keys(schema.properties)).toEqual(
    expect.arrayContaining(["$schema", "store", "namespace", "secret", "servers", "deadline", "urlTemplate"]),
  );
  expect(schema.additionalProperties).toBe(false);
  const server = schema.properties.servers.additionalProperties;
  expect(Object.keys(server.properties)).toEqual(expect.arrayContaining(["command", "url", "headers", "env", "tools"]));
  const settle = server.properties.tools.additionalProperties.properties.settle;
  expect(JSON.stringify(settle)).toContain("ms|s|m|h|d");
});

test("the example of docs/cli.md is one", () => {
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs/cli.md"), "utf8")) ?? [];
  expect(parseConfigFile(JSON.parse(example))).toMatchObject({ namespace: "acme-agents" });
  createGuard({ store: memoryStore(), ...guardPolicies(parseConfigFile(JSON.parse(example))) });
});

test("what the file says of servers is what createGuard takes; connections stay out of it", () => {
  const config = parseConfigFile({
    store: "x.db",
    deadline: "2s",
    servers: { a: { command: "node", args: ["x"], tools: { t: { settle: "1s" } } } },
  });
  const policies = guardPolicies(config);
  expect(policies).toMatchObject({ deadline: 2_000, servers: { a: { tools: { t: { settle: 1_000 } } } } });
  expect(policies).not.toHaveProperty("store");
  expect(policies.servers?.a).not.toHaveProperty("command");
});

test("secrets come from the environment; one that stands in the file is warned of", async () => {
  const config = {
    servers: {
      a: { url: "https://a.example/mcp", headers: { authorization: { env: "A_TOKEN", prefix: "Bearer " } } },
      b: { command: "node", env: { API_KEY: "in plain sight" }, cwd: "sub" },
    },
  };
  const cwd = folderWith(config);
  const loaded = await loadConfig({ cwd });
  expect(loaded.warnings).toEqual([expect.stringContaining("servers.b.env.API_KEY")]);
  expect(resolveServer(loaded, "a", { A_TOKEN: "t" })).toMatchObject({ headers: { authorization: "Bearer t" } });
  expect(() => resolveServer(loaded, "a", {})).toThrow(/servers\.a\.headers\.authorization: .*A_TOKEN is not set/);
  expect(resolveServer(loaded, "b", {})).toMatchObject({ kind: "stdio", cwd: join(cwd, "sub") });
  expect(() => resolveServer(loaded, "c", {})).toThrow(/no server "c".*knows: a, b/);
});

test("a relative store belongs to the file's folder, one of --store to the current one", async () => {
  const cwd = folderWith({ store: "ops.db" });
  const config = join(cwd, "indoubt.config.json");
  const elsewhere = newFolder();
  const fromFile = await openGuard({ config, cwd: elsewhere });
  expect(fromFile.address).toBe(`sqlite:${join(cwd, "ops.db")}`);
  const given = await openGuard({ config, cwd: elsewhere, store: "other.db" });
  expect(given.address).toBe(`sqlite:${join(elsewhere, "other.db")}`);
});

test("a configured secret is used, from a variable or a file, and a missing one is told", async () => {
  const cwd = folderWith({ secret: { file: "the.secret" } });
  await expect(openGuard({ cwd })).rejects.toThrow(/secret: the file cannot be read/);
  writeFileSync(join(cwd, "the.secret"), "0123456789abcdef0123456789abcdef\n", { mode: 0o644 });
  const { guard, warnings } = await openGuard({ cwd });
  expect(warnings).toEqual([expect.stringContaining("chmod 600")]);
  await guard.queue.list();
  await guard.close();
  const other = await openGuard({ cwd, config: undefined, store: join(cwd, "indoubt.db") });
  await other.guard.queue.list();
  await other.guard.close();
  writeFileSync(join(cwd, "the.secret"), "ffffffffffffffffffffffffffffffff\n", { mode: 0o600 });
  const wrong = await openGuard({ cwd });
  await expect(wrong.guard.queue.list()).rejects.toMatchObject({ code: "STORE_INCOMPATIBLE" });
  await wrong.guard.close();
});

test.each([
  ["sqlite:a.db", "sqlite", /a\.db$/],
  ["a.db", "sqlite", /a\.db$/],
  ["memory:", "memory", /^memory:$/],
  ["redis://user:secret@localhost:1", "redis", /^redis:\/\/\*\*\*@localhost:1$/],
  ["rediss://localhost:1", "redis", /^rediss:/],
  ["redis+sentinel://localhost:1/primary", "redis", /sentinel/],
  ["redis+cluster://localhost:1", "redis", /cluster/],
])("the address %s", async (address, kind, shown) => {
  const opened = await openStore(address, { folder: newFolder(), namespace: "x" });
  expect(opened.store.kind).toBe(kind);
  expect(opened.address).toMatch(shown);
  await opened.store.close();
});
