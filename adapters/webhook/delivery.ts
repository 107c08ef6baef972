/** The way out: a bounded list in memory, a few posts at a time, each repeated with growing pauses. */
import pRetry, { AbortError } from "p-retry";
import type { WebhookEvent } from "./event.ts";
import type { Settings } from "./options.ts";
import { signedHeaders } from "./signature.ts";

/** Posts under way at once: one that hangs must not hold up the others. */
const AT_ONCE = 4;
/** Statuses after which the same post may be taken. */
const PASSING = [408, 425, 429];

export interface Delivery {
  /** Takes the event and returns at once. */
  put(event: WebhookEvent): void;
  /** Takes nothing more. Resolves when all is out, or after `within` ms, when the rest is given up. */
  drain(within: number): Promise<void>;
}

export function delivery(settings: Settings, warn: (message: string) => void): Delivery {
  const waiting: WebhookEvent[] = [];
  /** Ids that wait or are under way. */
  const present = new Set<string>();
  const giveUp = new AbortController();
  let running = 0;
  let dropped = 0;
  let ended = false;
  let idle = (): void => {};

  function next(): void {
    while (running < AT_ONCE) {
      const event = waiting.shift();
      if (!event) break;
      running += 1;
      void deliver(settings, event, giveUp.signal)
        .catch((error: unknown) => {
          if (!giveUp.signal.aborted) warn(failure(settings, event, error));
          else dropped += 1;
        })
        .finally(() => {
          running -= 1;
          present.delete(event.id);
          next();
        });
    }
    if (running === 0) idle();
  }

  return {
    put(event) {
      if (ended || present.has(event.id)) return;
      if (waiting.length >= settings.backlog) {
        // The first one tells it: a listener that hears a thousand warnings is told less.
        if (dropped++ === 0)
          warn(`${settings.origin} takes no posts fast enough: ${settings.backlog} wait, more are dropped. ${HELP}`);
        return;
      }
      dropped = 0;
      present.add(event.id);
      waiting.push(event);
      next();
    },
    async drain(within) {
      ended = true;
      if (running === 0) return;
      const out = new Promise<void>((resolve) => {
        idle = resolve;
      });
      dropped = 0;
      const limit = setTimeout(() => {
        dropped += waiting.splice(0).length;
        giveUp.abort();
      }, within);
      await out;
      clearTimeout(limit);
      if (dropped > 0) warn(`${dropped} posts to ${settings.origin} were given up at close. ${HELP}`);
    },
  };
}

const HELP = "Nothing is lost: the items are in the queue.";

function failure({ origin }: Settings, event: WebhookEvent, error: unknown): string {
  const item = event.operation === undefined ? `${event.server} ${event.tool}` : event.operation;
  const why = error instanceof Error ? error.message : String(error);
  return `The webhook ${origin} did not take "${event.kind}" of ${item}: ${why}. ${HELP}`;
}

async function deliver(settings: Settings, event: WebhookEvent, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify(event);
  await pRetry(() => post(settings, body, signal), {
    retries: settings.retries,
    minTimeout: 1_000,
    maxTimeout: 60_000,
    randomize: true,
    // A host that ends without closing is not kept alive by a receiver that is down.
    unref: true,
    signal,
  });
}

async function post(settings: Settings, body: string, signal: AbortSignal): Promise<void> {
  const { secret, timeout, url } = settings;
  const response = await settings
    .fetch(url, {
      method: "POST",
      body,
      headers: signedHeaders(secret, body, Date.now()),
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    })
    .catch((error: unknown) => {
      throw new Error(reasonOf(error, timeout));
    });
  await response.body?.cancel();
  if (response.ok) return;
  const refused = new Error(`it answered with status ${response.status}`);
  throw response.status >= 500 || PASSING.includes(response.status) ? refused : new AbortError(refused);
}

function reasonOf(error: unknown, timeout: number): string {
  if (!(error instanceof Error)) return "the post failed";
  if (error.name === "TimeoutError") return `no answer within ${timeout} ms`;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === "string" ? `it cannot be reached (${code})` : "it cannot be reached";
}
