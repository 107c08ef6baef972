import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { generateLua, luaScripts } from "../../../scripts/generate-lua.ts";

const root = new URL("../../../", import.meta.url);
const committed = (file: string) => readFileSync(new URL(`adapters/stores/redis/lua/${file}`, root), "utf8");
/** The scripts as they are when one piece of `read.lua` is another one. */
const changed = (find: string, replace: string) => () =>
  luaScripts((file) => (file === "read.lua" ? committed(file).replace(find, replace) : committed(file)));

describe("The module made from the Lua files", () => {
  test("is up to date", () => {
    for (const [path, text] of Object.entries(generateLua())) {
      expect(readFileSync(new URL(path, root), "utf8") === text, `${path}: run npx tsx scripts/generate-lua.ts`).toBe(
        true,
      );
    }
  });

  test("is refused when a script reads what its header does not declare", () => {
    expect(changed("-- @key payload", "-- payload")).toThrow("read.lua: read and never declared: payload");
    expect(changed("'MGET', marks,", "'MGET', mark,")).toThrow(/declared and never read: marks/);
  });

  test("is refused when a header declares what its script does not read", () => {
    expect(changed("-- @reply", "-- @arg limit: integer\n-- @reply")).toThrow(
      "read.lua: declared and never read: limit",
    );
  });

  test("is refused when a script reaches past its header", () => {
    expect(changed("return {", "local more = KEYS[9]\nreturn {")).toThrow(/instead of KEYS and ARGV/);
  });
});

test("No script uses what only Redis 7 has, and none is longer than a screen", () => {
  for (const { name, lua } of luaScripts()) {
    expect(lua, name).not.toMatch(/#!|redis\.(setresp|acl_check_cmd|register_function)|XX|EXPIRETIME|LMPOP|ZMPOP/);
  }
  for (const file of [
    "begin",
    "swap",
    "read",
    "due",
    "heads",
    "rows",
    "journal",
    "touch",
    "raise",
    "suspend",
    "suspended",
    "lift",
  ]) {
    const body = committed(`${file}.lua`)
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("--"));
    expect(body.length, file).toBeLessThanOrEqual(60);
  }
});
