export const EVENT_KINDS = ["queued", "aged", "conflict", "suspended"] as const;
export type WebhookEventKind = (typeof EVENT_KINDS)[number];
