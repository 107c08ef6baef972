/**
 * config.schema.json: the JSON Schema of the configuration file, from the schema that the program checks it with, and
 * from the comments that editors show to programmers.
 */
import { z } from "zod";
import { configFileSchema } from "../src/config-file.ts";
import { durationSchema } from "../src/core/duration.ts";
import { CONTRACT, SERVER, TOOL, TOP } from "./docs/config-page.ts";
import { type Options, optionsOf } from "./docs/option-comments.ts";

type Json = { [key: string]: unknown };

const FILE = optionsOf("src/config-file.ts", "ConfigFile");
const CONNECTION = optionsOf("src/config-file.ts", "ServerConnection");

const DURATION: Json = {
  anyOf: [
    { type: "number", minimum: 0 },
    { type: "string", pattern: "^\\d+(\\.\\d+)?(ms|s|m|h|d)$" },
  ],
};

export function generateConfig(): Record<string, string> {
  const schema = z.toJSONSchema(configFileSchema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === (durationSchema as unknown)) replace(jsonSchema, DURATION);
      // A function, or an object that a program makes: JSON has none.
      else if (zodSchema._zod.def.type === "custom") replace(jsonSchema, { not: {} });
    },
  }) as Json;
  const server = entryOf(propertyOf(schema, "servers"));
  const tool = entryOf(propertyOf(server, "tools"));
  describe(schema, { ...TOP, ...FILE });
  describe(server, { ...SERVER, ...CONNECTION });
  describe(tool, TOOL);
  describe(objectIn(propertyOf(tool, "contract")), CONTRACT);
  const text = JSON.stringify({ ...schema, title: "Configuration of indoubt" }, null, 2);
  return { "config.schema.json": `${text}\n` };
}

function replace(target: object, by: Json): void {
  for (const key of Object.keys(target)) delete (target as Json)[key];
  Object.assign(target, structuredClone(by));
}

const propertyOf = (schema: Json, name: string): Json => {
  const found = (schema.properties as Record<string, Json> | undefined)?.[name];
  if (!found) throw new Error(`The schema of the configuration file has no ${name}.`);
  return found;
};
const entryOf = (record: Json): Json => record.additionalProperties as Json;
const objectIn = (union: Json): Json =>
  (union.anyOf as Json[] | undefined)?.find(({ type }) => type === "object") ?? union;

function describe(schema: Json, options: Options): void {
  for (const [name, option] of Object.entries(options)) {
    const property = (schema.properties as Record<string, Json> | undefined)?.[name];
    if (property) property.description = option.does.replace(/\{@link (\w+)\}/g, "$1");
  }
}
