/** The headers by which requests of the 2026 era say what their body says, for intermediaries. */
import type { IncomingHttpHeaders } from "node:http";
import { type Frame, isObject, metaOf, PROTOCOL_VERSION } from "./frames.ts";

/** Where the name of a request stands, by its method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

export function modernHeaders(frame: Frame): Record<string, string> {
  const { method = "" } = frame;
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = field !== undefined && isObject(frame.params) ? frame.params[field] : undefined;
  return {
    "mcp-protocol-version": String(metaOf(frame)[PROTOCOL_VERSION]),
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": headerValue(name) }),
  };
}

/** Text that a header cannot carry goes as base64 between marks. */
export function headerValue(text: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

/** What the headers of a request say against its body; undefined: nothing. */
export function headerMismatch(headers: IncomingHttpHeaders, frame: Frame): string | undefined {
  for (const [name, value] of Object.entries(modernHeaders(frame))) {
    const said = headers[name];
    if (said === value || decoded(String(said ?? "")) === decoded(value)) continue;
    return said === undefined
      ? `The header ${name} is missing.`
      : `The header ${name} does not say what the body says.`;
  }
  return undefined;
}

function decoded(value: string): string {
  const inside = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return inside === undefined ? value : Buffer.from(inside, "base64").toString("utf8");
}
