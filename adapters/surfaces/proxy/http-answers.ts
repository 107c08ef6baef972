/** What an HTTP server answers to one message, on its way to a host that reads lines. */
import {
  type Frame,
  idKey,
  isAnswer,
  isEventStream,
  isFrame,
  isJson,
  isRequest,
  isToolCall,
  type RequestId,
  readSse,
} from "../../mcp/relay/index.ts";
import { errorFrame, readMessage } from "./messages.ts";
import { isOldTransport, OLD_TRANSPORT } from "./old-transport.ts";
import { moved, movedTo } from "./raw-fetch.ts";

export interface Answering {
  readonly server: string;
  readonly url: string;
  toHost(message: object): Promise<boolean>;
  /** Resolves when a slow host has caught up. */
  drained(): Promise<void>;
  say(what: string): void;
  /** Asks for the server's own stream. */
  listen(): Promise<Response>;
  /** Goes on with a stream after this event. */
  resume(lastEvent: string): Promise<Response>;
  readonly closing: AbortSignal;
}

/** One message of the host that was posted. */
export interface Posted {
  readonly frame: Frame;
  /** Hears whether the host got the answer. */
  told(received: boolean): void;
  /** The answer passes by. */
  answered?(answer: Frame): void;
}

const SERVER_FAILED = -32000;
/** How often a stream that broke off is looked for again, and the pause before each look in ms. */
export const LOOKS = [500, 1_000, 2_000] as const;
/** How servers of the older transport refuse a first message. */
const OLD_STATUS = [400, 404, 405];
const CURE = ' Check the token: pass it with --header "Authorization: Bearer …" or in the configuration.';

export async function passAnswer(to: Answering, posted: Posted, response: Response): Promise<void> {
  if (!response.ok) return passRefusal(to, posted, response);
  if (isEventStream(response)) return followStream(to, posted, response);
  const text = await response.text();
  if (isJson(response) && text.trim() !== "" && hand(to, posted, text)) return;
  failed(to, posted.frame, `gave no answer to this request (status ${response.status})`);
}

/** For requests; nobody waits for an answer to anything else. */
export function failed(to: Answering, frame: Frame, how: string): void {
  if (!isRequest(frame)) return;
  void to.toHost(errorFrame(frame.id, SERVER_FAILED, `The MCP server "${to.server}" ${how}.`));
}

/**
 * One message as a line: a line break in it can only be white space between tokens.
 * @returns whether it is the answer
 */
export function hand(to: Answering, posted: Posted | undefined, text: string): boolean {
  const { value } = readMessage(Buffer.from(`${text.replace(/[\r\n]+/g, " ")}\n`));
  if (value === undefined) {
    to.say(`sent what is no JSON: ${JSON.stringify(text.slice(0, 200))}`);
    return false;
  }
  const written = to.toHost(value as object);
  if (!posted || !answers(value, posted.frame)) return false;
  posted.answered?.(value);
  void written.then(posted.told);
  return true;
}

function answers(value: unknown, { id }: Frame): value is Frame {
  return isFrame(value) && isAnswer(value) && idKey(value.id) !== undefined && idKey(value.id) === idKey(id);
}

/** Reads a stream to its end. One that breaks off before the answer is looked for again where the server numbers its events. */
async function followStream(to: Answering, posted: Posted, response: Response): Promise<void> {
  let stream: Response | undefined = response;
  let answered = !isRequest(posted.frame);
  let last: string | undefined;
  for (const pause of [...LOOKS, undefined]) {
    await readSse(stream?.body ?? null, {
      event: (event) => {
        if (event.id !== undefined) last = event.id;
        if (event.data !== "" && hand(to, posted, event.data)) answered = true;
        return to.drained();
      },
      end: () => {},
    });
    if (answered || last === undefined || pause === undefined || to.closing.aborted) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    stream = await to.resume(last).catch(() => undefined);
  }
  if (!answered && !to.closing.aborted) brokeOff(to, posted.frame);
}

function brokeOff(to: Answering, frame: Frame): void {
  if (isToolCall(frame)) void to.toHost(doubt(frame.id, `The answer of the MCP server "${to.server}" broke off.`));
  else failed(to, frame, "broke its answer off");
}

const doubt = (id: RequestId, why: string): Frame => {
  const text = `[outcome_uncertain] ${why} Whether the action took effect is not known. Do not repeat this action; go on with other work or tell the user what is open.`;
  return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], isError: true } };
};

async function passRefusal(to: Answering, posted: Posted, response: Response): Promise<void> {
  const { frame } = posted;
  const { status } = response;
  const text = await response.text().catch(() => "");
  const elsewhere = movedTo(response, to.url);
  if (frame.method === "initialize" && OLD_STATUS.includes(status) && (await isOldTransport(to.listen))) {
    to.say(OLD_TRANSPORT);
    return failed(to, frame, OLD_TRANSPORT.replace(/\.$/, ""));
  }
  const cure = elsewhere ? ` It ${moved(elsewhere)}` : status === 401 || status === 403 ? CURE : "";
  to.say(`refused ${frame.method ?? "an answer"} with HTTP status ${status}.${cure}`);
  if (answers(readMessage(Buffer.from(text)).value, frame)) hand(to, posted, text);
  else failed(to, frame, `refused this request with status ${status}.${cure}`.replace(/\.$/, ""));
}
