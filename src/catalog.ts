/** What the servers' tool lists say now: for argument checks, output schemas and the pins of contracts. */
import { z } from "zod";
import { toolFingerprint } from "./core/contract.ts";
import { parsePointer } from "./core/pointer.ts";
import type { JsonObject } from "./core/terms.ts";
import type { ToolDefinition } from "./guard-api.ts";

export interface Catalog {
  seen(server: string, tools: readonly ToolDefinition[]): void;
  /** Fingerprint of the live definition; null: listed servers do not have it; undefined: no list was seen. */
  live(server: string, tool: string): string | null | undefined;
  hasOutputSchema(server: string, tool: string): boolean;
  /** The first pointer that the tool's input schema cannot have, in words. */
  unknownPointer(server: string, tool: string, pointers: readonly string[]): string | undefined;
  /** Why the arguments do not fit the tool's input schema; undefined when they fit or no usable schema is known. */
  complaint(server: string, tool: string, args: JsonObject): string | undefined;
}

interface Known {
  readonly definition: ToolDefinition;
  readonly fingerprint: string;
  schema?: z.ZodType | null;
}

export function catalog(): Catalog {
  const servers = new Map<string, Map<string, Known>>();
  const find = (server: string, tool: string) => servers.get(server)?.get(tool);
  return {
    seen(server, tools) {
      const known = servers.get(server) ?? new Map<string, Known>();
      for (const definition of tools)
        known.set(definition.name, { definition, fingerprint: toolFingerprint(definition) });
      servers.set(server, known);
    },
    live: (server, tool) => (servers.has(server) ? (find(server, tool)?.fingerprint ?? null) : undefined),
    hasOutputSchema: (server, tool) => find(server, tool)?.definition.outputSchema !== undefined,
    unknownPointer(server, tool, pointers) {
      const known = find(server, tool);
      const wrong = known && pointers.find((at) => impossibleIn(known.definition.inputSchema, parsePointer(at) ?? []));
      return wrong === undefined ? undefined : `"${wrong}" is not in the input schema of "${tool}"`;
    },
    complaint(server, tool, args) {
      const known = find(server, tool);
      if (!known) return undefined;
      known.schema ??= schemaOf(known.definition.inputSchema);
      const checked = known.schema?.safeParse(args);
      if (!checked || checked.success) return undefined;
      return checked.error.issues
        .map((issue) => `/${issue.path.map(String).join("/")}: ${issue.message}`)
        .slice(0, 5)
        .join("; ");
    },
  };
}

/** Only a plain object schema that lists its properties can rule a name out. */
function impossibleIn(schema: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || typeof schema !== "object" || schema === null) return false;
  const open = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if"].some((word) => word in schema);
  if (open) return false;
  if ("items" in schema) return /^\d+$/.test(name) ? impossibleIn(schema.items, rest) : true;
  const { properties, additionalProperties } = schema as { properties?: unknown; additionalProperties?: unknown };
  if (typeof properties !== "object" || properties === null) return false;
  if (Object.hasOwn(properties, name)) return impossibleIn((properties as Record<string, unknown>)[name], rest);
  return additionalProperties === undefined || additionalProperties === false;
}

/** A schema that zod cannot express is not enforced: the server checks its own input anyway. */
function schemaOf(schema: unknown): z.ZodType | null {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return null;
  }
}
