/** From the guard's events to posts. */
import type { Guard } from "../../src/index.ts";
import { delivery } from "./delivery.ts";
import { eventOf, type Occurrence } from "./event.ts";
import { readOptions, type WebhookOptions } from "./options.ts";

export interface Webhook {
  /**
   * Stops listening and lets what waits go out. `guard.close()` does the same by itself, but does not wait for it.
   * @param options.within ms, after which the rest is given up with a `warning` @default 5000
   */
  close(options?: { readonly within?: number }): Promise<void>;
}

/**
 * Posts to a URL of yours when an item enters the queue (`queued`), grows old (`aged`) or conflicts, and when a contract
 * is suspended. Signed with HMAC-SHA256; the receiver checks with `verifyWebhook`.
 *
 * A post never delays or fails a call. It is repeated with growing pauses, at last given up with a `warning` event. It may
 * come more than once, from one process or from several: its `id` is the same each time.
 * @throws IndoubtError CONFIG_INVALID with the option and the cure
 * @example
 * webhook(guard, { url: "https://ops.acme.example/hooks/indoubt", secret: process.env.INDOUBT_WEBHOOK_SECRET });
 */
export function webhook(guard: Pick<Guard, "on" | "warn" | "closing">, options: WebhookOptions): Webhook {
  const settings = readOptions(options);
  const out = delivery(settings, guard.warn);
  const deaf = settings.events.map((kind) =>
    guard.on(kind, (seen: Occurrence) => out.put(eventOf(kind, seen, Date.now(), settings))),
  );
  let closed: Promise<void> | undefined;
  const close: Webhook["close"] = ({ within = 5_000 } = {}) => {
    for (const stop of deaf) stop();
    closed ??= out.drain(within);
    return closed;
  };
  guard.closing.addEventListener("abort", () => void close(), { once: true });
  return { close };
}
