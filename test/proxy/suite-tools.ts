/** The tools by which the official conformance suite tries a server out, as data and one function each. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  type CallToolResult,
  CreateMessageResultSchema,
  ElicitResultSchema,
  type ServerNotification,
  type ServerRequest,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { PNG, WAV } from "./suite-media.ts";

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Run = (args: Record<string, unknown>, extra: Extra) => CallToolResult | Promise<CallToolResult>;
type Schema = Tool["inputSchema"];

const NONE: Schema = { type: "object", properties: {} };
const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });
const one = (name: string): Schema => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
});

async function withLogging(extra: Extra): Promise<CallToolResult> {
  const log = (data: string) =>
    extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
  await log("Tool execution started");
  await sleep(50);
  await log("Tool processing data");
  await sleep(50);
  await log("Tool execution completed");
  return text("Three lines were logged.");
}

async function withProgress({ _meta, sendNotification }: Extra): Promise<CallToolResult> {
  const progressToken = _meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined) {
      await sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
    }
    await sleep(50);
  }
  return text("The work is done.");
}

async function sampling(prompt: unknown, { sendRequest }: Extra): Promise<CallToolResult> {
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: String(prompt) } }];
  const request = { method: "sampling/createMessage" as const, params: { messages, maxTokens: 100 } };
  const { content } = await sendRequest(request, CreateMessageResultSchema);
  const said = "text" in content ? content.text : JSON.stringify(content);
  return text(`LLM response: ${said}`);
}

/** Asks the person at the host. */
async function ask(message: string, properties: object, required: string[], extra: Extra): Promise<CallToolResult> {
  const params = { mode: "form" as const, message, requestedSchema: { type: "object" as const, properties, required } };
  const request = { method: "elicitation/create", params } as ServerRequest;
  const { action, content } = await extra.sendRequest(request, ElicitResultSchema);
  return text(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

const PERSON = { username: { type: "string" }, email: { type: "string" } };
const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const plain = ["option1", "option2", "option3"];
const titled = ["First", "Second", "Third"].map((title, at) => ({ const: `value${at + 1}`, title: `${title} Option` }));
const ENUMS = {
  untitledSingle: { type: "string", enum: plain },
  titledSingle: { type: "string", oneOf: titled },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: plain } },
  titledMulti: { type: "array", items: { anyOf: titled } },
};
const SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
} as Schema;
const MIXED = {
  uri: "test://mixed-content-resource",
  mimeType: "application/json",
  text: '{"test":"data","value":123}',
};
const EMBEDDED = {
  uri: "test://embedded-resource",
  mimeType: "text/plain",
  text: "This is an embedded resource content.",
};
const image = { type: "image", data: PNG, mimeType: "image/png" } as const;

/** The stream of this call ends at once; its answer waits for whoever comes back with the last event's id. */
async function afterReconnection({ closeSSEStream }: Extra): Promise<CallToolResult> {
  closeSSEStream?.();
  await sleep(100);
  return text("Still here after the stream was closed.");
}

const TOOLS: Readonly<Record<string, readonly [Schema, Run]>> = {
  test_simple_text: [NONE, () => text("This is a simple text response for testing.")],
  test_image_content: [NONE, () => ({ content: [image] })],
  test_audio_content: [NONE, () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] })],
  test_embedded_resource: [NONE, () => ({ content: [{ type: "resource", resource: EMBEDDED }] })],
  test_multiple_content_types: [
    NONE,
    () => ({
      content: [{ type: "text", text: "Multiple content types test:" }, image, { type: "resource", resource: MIXED }],
    }),
  ],
  test_tool_with_logging: [NONE, (_, extra) => withLogging(extra)],
  test_error_handling: [
    NONE,
    () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  ],
  test_tool_with_progress: [NONE, (_, extra) => withProgress(extra)],
  test_sampling: [one("prompt"), ({ prompt }, extra) => sampling(prompt, extra)],
  test_elicitation: [one("message"), ({ message }, extra) => ask(String(message), PERSON, Object.keys(PERSON), extra)],
  test_elicitation_sep1034_defaults: [NONE, (_, extra) => ask("Please check these values.", DEFAULTS, [], extra)],
  test_elicitation_sep1330_enums: [NONE, (_, extra) => ask("Please choose.", ENUMS, [], extra)],
  json_schema_2020_12_tool: [SCHEMA_2020_12, (args) => text(JSON.stringify(args))],
  test_reconnection: [NONE, (_, extra) => afterReconnection(extra)],
};

export const toolList = (): Tool[] =>
  Object.entries(TOOLS).map(([name, [inputSchema]]) => ({ name, description: `Tries ${name}.`, inputSchema }));

export const runTool = (name: string): Run | undefined => TOOLS[name]?.[1];
