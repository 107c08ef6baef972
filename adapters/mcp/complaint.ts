/** What a client library says against a result that the server did send. */
import type { JsonObject, JsonValue } from "../../src/index.ts";

/** Texts on which frameworks send the same call again. None of them may come out of a guarded call. */
const GREPPED = /fetch failed|connection closed|not connected|http 4\d\d|econnrefused|terminated/gi;

/**
 * The result as it came, with one more text block. Thrown, the complaint would hide that the call was answered: a
 * schema error of the client and a rejection by the server have the same class and code.
 */
export function withComplaint(result: JsonObject, error: unknown): JsonObject {
  const content: JsonValue[] = Array.isArray(result.content) ? result.content : [];
  const complaint = error instanceof Error ? error.message : String(error);
  const text =
    "The server answered this call; the result is above as it came. " +
    `The client library objects to its form: ${complaint.replaceAll(GREPPED, "(…)")}. ` +
    "That says nothing against what the call did.";
  return { ...result, content: [...content, { type: "text", text }] };
}
