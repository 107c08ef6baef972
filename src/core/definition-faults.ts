/** What is wrong with the form of a tool's definition. A sound form says nothing about safety. */
import type { LiveDefinition } from "./baseline.ts";
import { quoted } from "./fence.ts";
import { readHints } from "./hints.ts";
import { zodOf } from "./schema-pointer.ts";

const NAME = /^[A-Za-z0-9_.\-/]{1,128}$/;
const LONGEST_DESCRIPTION = 4_000;
/** Characters that are not seen, and can hide words from a reader. */
const HIDDEN = /(?!\ufe0f)[\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}]|(?![\n\r\t])\p{Cc}/u;

export function definitionFaults(definition: LiveDefinition): readonly string[] {
  const { name, description, inputSchema, outputSchema, annotations } = definition;
  return [
    ...(NAME.test(name) ? [] : [`the name ${quoted(name)} has characters or a length that clients may not take`]),
    ...wordFaults("title", definition.title),
    ...wordFaults("description", description),
    ...(description === undefined || description === "" ? ["there is no description"] : []),
    ...schemaFaults("inputSchema", inputSchema, true),
    ...schemaFaults("outputSchema", outputSchema, false),
    ...readHints(annotations).faults,
  ];
}

function wordFaults(field: string, words: unknown): string[] {
  if (words === undefined) return [];
  if (typeof words !== "string") return [`the ${field} is no text`];
  return [
    ...(HIDDEN.test(words) ? [`the ${field} has characters that are not seen`] : []),
    ...(words.length > LONGEST_DESCRIPTION ? [`the ${field} has ${words.length} characters`] : []),
  ];
}

function schemaFaults(field: string, schema: unknown, needed: boolean): string[] {
  if (schema === undefined) return needed ? [`there is no ${field}`] : [];
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return [`the ${field} is no object`];
  const { type, properties, required } = schema as { type?: unknown; properties?: unknown; required?: unknown };
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const missing = Array.isArray(required) ? required.filter((name) => !names.includes(String(name))) : [];
  return [
    ...(type === "object" ? [] : [`the ${field} is not of type "object"`]),
    ...missing.map((name) => `the ${field} requires ${quoted(String(name))}, which it does not describe`),
    ...(zodOf(schema) === null ? [`the ${field} cannot be checked here, so arguments are not checked against it`] : []),
  ];
}
