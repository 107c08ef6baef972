import type { JsonObject } from "./json.ts";

interface ToolDefinition {
  readonly name: string;
  /** @default the name */
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Hints as the server publishes them; they may lie. */
  readonly annotations?: JsonObject;
}

/** A tool that changes the destination: each call that commits leaves one effect. */
export interface WriteTool extends ToolDefinition {
  readonly effect: "write";
  /**
   * Ids look like `inv_7`.
   * @default the tool's name
   */
  readonly idPrefix?: string;
  /** The array argument of a bulk tool: one effect per item. */
  readonly bulk?: string;
}

/** A tool that looks up the effects of a write tool. */
export interface ReadTool extends ToolDefinition {
  readonly effect: "read";
  /** The write tool whose effects it finds. */
  readonly of: string;
  /** The name of the list in the result. */
  readonly as: string;
  /** Keeps only the newest object per value of this argument, as a file system does. */
  readonly latestBy?: string;
}

/**
 * A tool of the fault server, as plain data.
 *
 * @example
 * const refund: FaultTool = { effect: "write", name: "refund", inputSchema: { type: "object" } };
 */
export type FaultTool = WriteTool | ReadTool;

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };

/** The tools that every fault server offers unless a tool of the same name replaces them. */
export const DEFAULT_TOOLS: readonly FaultTool[] = [
  {
    effect: "write",
    name: "create_invoice",
    description: "Creates an invoice for an order.",
    idPrefix: "inv",
    inputSchema: {
      type: "object",
      properties: { customer: text, order: text, amount: { type: "number" }, memo: text, idempotency_key: text },
      required: ["customer", "order", "amount"],
    },
    outputSchema: {
      type: "object",
      properties: { id: text, status: text, success: flag, message: text },
      required: ["id"],
      additionalProperties: false,
    },
  },
  {
    effect: "read",
    name: "find_invoice",
    description: "Finds invoices by customer, order or reference.",
    of: "create_invoice",
    as: "invoices",
    inputSchema: { type: "object", properties: { customer: text, order: text, reference: text } },
    annotations: { readOnlyHint: true },
  },
  {
    effect: "write",
    name: "send_email",
    description: "Sends an email. Nothing can look it up afterwards.",
    idPrefix: "mail",
    inputSchema: {
      type: "object",
      properties: { to: text, subject: text, body: text },
      required: ["to", "subject", "body"],
    },
  },
  {
    effect: "write",
    name: "write_file",
    description: "Writes a file.",
    idPrefix: "file",
    inputSchema: { type: "object", properties: { path: text, content: text }, required: ["path", "content"] },
    annotations: { idempotentHint: true },
  },
  {
    effect: "read",
    name: "list_files",
    description: "Lists the files that were written.",
    of: "write_file",
    as: "files",
    latestBy: "path",
    inputSchema: { type: "object", properties: { path: text } },
    annotations: { readOnlyHint: true },
  },
];

/** The default tools, with the given ones added or put in their place. */
export function mergeTools(extra: readonly FaultTool[]): readonly FaultTool[] {
  const replaced = new Set(extra.map((tool) => tool.name));
  return [...DEFAULT_TOOLS.filter((tool) => !replaced.has(tool.name)), ...extra];
}

/** A tool as `tools/list` shows it. */
export function publishedTool(tool: FaultTool): JsonObject {
  return {
    name: tool.name,
    description: tool.description ?? tool.name,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
    ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
  };
}

/** The first required argument that a call lacks. */
export function missingArgument(tool: FaultTool, args: JsonObject): string | undefined {
  const required = tool.inputSchema.required;
  if (!Array.isArray(required)) return undefined;
  return required.filter((name) => typeof name === "string").find((name) => args[name] === undefined);
}
