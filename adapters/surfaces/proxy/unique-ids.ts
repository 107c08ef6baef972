/** Request ids that no other host and no earlier process has used, in the bytes of the message itself. */
import { randomUUID } from "node:crypto";
import { spanOf } from "./json-span.ts";
import { bytesOf, type Read, readMessage, withBytes } from "./messages.ts";

const ID = ["id"];
const TOKEN = ["params", "_meta", "progressToken"];
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

export interface Renamed {
  readonly read: Read;
  /** What the server says of this request, in the host's own words. */
  restore(message: object): object;
}

/** @returns a function that renames one request each time */
export function uniqueIds(): (read: Read) => Renamed {
  const session = randomUUID().slice(0, 8);
  let minted = 0;
  return ({ bytes }) => {
    const name = JSON.stringify(`indoubt-${session}-${++minted}`);
    const text = textOf(bytes);
    const id = valueAt(text, ID) ?? "null";
    const token = valueAt(text, TOKEN);
    const renamed = put(put(text, ID, name), TOKEN, name);
    return {
      read: readMessage(Buffer.from(renamed)),
      restore(message) {
        let own = textOf(bytesOf(message));
        const back: readonly (readonly [readonly string[], string | undefined])[] = [
          [ID, id],
          [["params", "progressToken"], token],
          [["params", "_meta", SUBSCRIPTION], id],
          [["result", "_meta", SUBSCRIPTION], id],
        ];
        for (const [path, json] of back) {
          if (json !== undefined && valueAt(own, path) === name) own = put(own, path, json);
        }
        return withBytes({ ...message }, Buffer.from(own));
      },
    };
  };
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

function valueAt(text: string, path: readonly string[]): string | undefined {
  const span = spanOf(text, path);
  return span && text.slice(span.start, span.end);
}

function put(text: string, path: readonly string[], json: string): string {
  const span = spanOf(text, path);
  return span ? text.slice(0, span.start) + json + text.slice(span.end) : text;
}
