/** `indoubt/webhook`: tells a URL of yours when an item needs a person. */
export type { WebhookEvent } from "./event.ts";
export type { WebhookEventKind } from "./kinds.ts";
export type { WebhookOptions } from "./options.ts";
export { type VerifyOptions, type VerifyResult, verifyWebhook } from "./verify.ts";
export { type Webhook, webhook } from "./webhook.ts";
