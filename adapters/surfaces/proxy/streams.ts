/** The HTTP responses on which hosts of one server process wait, and which message goes to which of them. */
import type { ServerResponse } from "node:http";
import {
  type Frame,
  idKey,
  isAnswer,
  isFrame,
  isModern,
  isObject,
  metaOf,
  type RequestId,
} from "../../mcp/relay/index.ts";
import { drained, sendJson, writtenWhole } from "./http-listener.ts";
import { bytesOf } from "./messages.ts";
import { receipts } from "./receipts.ts";

export interface Waiting {
  /** As the server sees it. */
  readonly frame: Frame & { readonly id: RequestId };
  readonly response: ServerResponse;
  /** The host takes no event stream. */
  readonly json: boolean;
  /** Whose request it is. */
  readonly owner?: string | undefined;
  /** What the server says, in the words of the host. */
  restore(message: object): object;
}

export interface Streams {
  /** False: a request with this id still waits. */
  open(waiting: Waiting): boolean;
  /** A stream for what the server says of its own accord. */
  listen(response: ServerResponse): void;
  toHost(message: object): Promise<boolean>;
  /** The host said something. */
  heard(message: unknown): Promise<void> | undefined;
  /** Resolves when every host that reads slowly has caught up or is gone. */
  drained(): Promise<void>;
  /** Nothing more comes from the host. */
  left(): Promise<void> | undefined;
  /** Streams that are open. */
  readonly size: number;
}

/** An answer that comes sooner is plain JSON; later there is a stream, so that the host sees that we are at it. In ms. */
const PLAIN_WITHIN = 250;
/** Messages kept for a host that listens again. */
const KEPT = 100;
const METHOD_NOT_FOUND = -32601;
/** Errors that the 2026 era tells by the HTTP status, too. */
const BAD_REQUEST = [-32600, -32602, -32020, -32021, -32022, -32700];

/** A host that reads slower than others, with whom it shares the server, is let go behind so many bytes. */
const FURTHEST_BEHIND = 64 * 1024 * 1024;

async function caughtUp(response: ServerResponse, patient: boolean): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return;
  if (patient) await drained(response);
  else if (response.writableLength > FURTHEST_BEHIND) response.destroy();
}

/** @param patient the server waits for hosts that read slowly; not where others wait for it, too */
export function streams(patient: boolean): Streams {
  const open = new Map<string, Waiting>();
  const tokens = new Map<string, string>();
  const kept: object[] = [];
  const receipt = receipts();
  let listener: ServerResponse | undefined;

  const forget = (key: string, waiting: Waiting): void => {
    if (open.get(key) === waiting) open.delete(key);
    const token = idKey(metaOf(waiting.frame).progressToken);
    if (token !== undefined) tokens.delete(token);
  };

  function answer(key: string, message: Frame): Promise<boolean> {
    const waiting = open.get(key);
    if (!waiting || waiting.response.destroyed) return Promise.resolve(false);
    forget(key, waiting);
    const { response, frame } = waiting;
    const own = waiting.restore(message);
    if (response.headersSent) response.end(eventOf(own));
    else sendJson(response, isModern(frame) ? statusOf(message) : 200, trimmed(bytesOf(own)));
    const written = writtenWhole(response);
    return frame.method === "tools/call" && !isModern(frame) ? receipt.await(frame.id, written) : written;
  }

  /** Its own request where the message names one; else wherever this host listens. */
  function route(message: Frame): Promise<boolean> {
    const params = isObject(message.params) ? message.params : {};
    const named = tokens.get(idKey(params.progressToken) ?? "") ?? idKey(metaOf(message)[SUBSCRIPTION]);
    const own = named === undefined ? undefined : open.get(named);
    const all = [...open.values()];
    const some = all.filter(({ json }) => !json);
    // Several people may share the server: what it says of no request in particular may be about anybody's.
    const shared = all.some(({ owner }) => owner !== all[0]?.owner);
    const any = !shared && (some.length === 1 || !listener) ? some.at(-1) : undefined;
    const waiting = own ?? any;
    if (waiting && !waiting.json) return event(waiting.response, waiting.restore(message));
    if (listener) return event(listener, message);
    if (kept.push(message) > KEPT) kept.shift();
    return Promise.resolve(false);
  }

  return {
    open(waiting) {
      const key = idKey(waiting.frame.id) ?? "";
      if (open.has(key)) return false;
      open.set(key, waiting);
      const token = idKey(metaOf(waiting.frame).progressToken);
      if (token !== undefined) tokens.set(token, key);
      const { response, json } = waiting;
      const late = json ? undefined : setTimeout(() => beginStream(response), PLAIN_WITHIN);
      response.once("close", () => {
        clearTimeout(late);
        forget(key, waiting);
      });
      return true;
    },
    listen(response) {
      listener?.end();
      listener = response;
      beginStream(response);
      response.once("close", () => {
        if (listener === response) listener = undefined;
      });
      for (const message of kept.splice(0)) void event(response, message);
    },
    toHost(message) {
      if (!isFrame(message)) return Promise.resolve(false);
      return isAnswer(message) ? answer(idKey(message.id) ?? "", message) : route(message);
    },
    async drained() {
      const responses = [...open.values()].map(({ response }) => response);
      await Promise.all([...responses, ...(listener ? [listener] : [])].map((response) => caughtUp(response, patient)));
    },
    heard: receipt.heard,
    left: receipt.left,
    get size() {
      return open.size + (listener ? 1 : 0);
    },
  };
}

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

function event(response: ServerResponse, message: object): Promise<boolean> {
  beginStream(response);
  return new Promise((resolve) => {
    if (response.destroyed) resolve(false);
    else response.write(eventOf(message), (error) => resolve(!error));
  });
}

function beginStream(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" });
  response.flushHeaders();
}

const eventOf = (message: object): Buffer =>
  Buffer.concat([Buffer.from("event: message\ndata: "), trimmed(bytesOf(message)), Buffer.from("\n\n")]);

/** Without the end of its line; a line break inside is white space between tokens, and would end the event. */
function trimmed(bytes: Uint8Array): Buffer {
  const text = Buffer.from(bytes);
  const end = text.at(-1) === 0x0a ? text.subarray(0, -1) : text;
  return end.includes(0x0d) ? Buffer.from(end.map((byte) => (byte === 0x0d ? 0x20 : byte))) : end;
}

function statusOf({ error }: Frame): number {
  if (!isObject(error) || typeof error.code !== "number") return 200;
  if (error.code === METHOD_NOT_FOUND) return 404;
  return BAD_REQUEST.includes(error.code) ? 400 : 200;
}
