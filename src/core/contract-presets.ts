/**
 * What providers document about repeats, as data. A preset is a summary of a page, never a permission: it needs the
 * operator's review, and the tool that hands the key on needs a test. Where a page is silent the cautious reading
 * stands here (`serial`, `ignored`, no stored errors), where two pages differ the shorter time.
 */

import type { KeyPlace } from "./contract.ts";
import type { Duration } from "./duration.ts";

export interface Preset {
  readonly provider: string;
  /** Where the PROVIDER reads the key. The tool in front of it may want it elsewhere: then say `key`. */
  readonly key: KeyPlace;
  /** Absent: the page names no time, so the operator must. */
  readonly window?: Duration;
  readonly concurrent: "rejected" | "joined" | "serial";
  readonly mismatch: "rejected" | "ignored";
  readonly replaysErrors: boolean;
  /** The provider wants a UUID of version 4. */
  readonly uuid4?: true;
  /** What the provider answers, and what else to know. */
  readonly notes: readonly string[];
  readonly source: string;
  /** When the page was read for this table. ISO date. */
  readonly checked: string;
}

const checked = "2026-11-30";
const header = (name: string): KeyPlace => ({ header: name });
const argument = (at: string): KeyPlace => ({ argument: at });

export const PRESETS = {
  stripe: {
    provider: "Stripe API v1",
    key: header("Idempotency-Key"),
    window: "24h",
    concurrent: "rejected",
    mismatch: "rejected",
    replaysErrors: true,
    notes: [
      "Status and body of the first request are stored once work has begun, a 500 included.",
      "Keys may be removed once they are 24 hours old; then the key makes a new request.",
      "Failed validation and requests that overlap are not stored and may be repeated.",
    ],
    source: "https://docs.stripe.com/api/idempotent_requests",
    checked,
  },
  "stripe-v2": {
    provider: "Stripe API v2",
    key: header("Idempotency-Key"),
    window: "30d",
    concurrent: "serial",
    mismatch: "ignored",
    replaysErrors: false,
    notes: ["Failed work is tried again under the same key, and the new answer is returned."],
    source: "https://docs.stripe.com/api-v2-overview#idempotency",
    checked,
  },
  paypal: {
    provider: "PayPal REST",
    key: header("PayPal-Request-Id"),
    window: "6h",
    concurrent: "serial",
    mismatch: "ignored",
    replaysErrors: false,
    notes: [
      "Orders v2 stores keys for 6 hours; up to 72 hours by arrangement. Other APIs have times of their own, and some none.",
      "A repeat gets the latest status of the first request. Of two that overlap the second may fail.",
    ],
    source: "https://developer.paypal.com/api/rest/reference/idempotency",
    checked,
  },
  square: {
    provider: "Square",
    key: argument("/idempotency_key"),
    concurrent: "serial",
    mismatch: "ignored",
    replaysErrors: false,
    notes: [
      "The page names no time: find it for your endpoint and set `window`.",
      "The same key with another request is an error in most APIs, not in all.",
    ],
    source: "https://developer.squareup.com/docs/build-basics/common-api-patterns/idempotency",
    checked,
  },
  adyen: {
    provider: "Adyen",
    key: header("Idempotency-Key"),
    window: "7d",
    concurrent: "serial",
    mismatch: "ignored",
    replaysErrors: false,
    notes: [
      "An older page promises 31 days; a shorter time is taken here. Keys have at most 64 characters.",
      "Keys belong to the company account and to one region: another region does not know them.",
    ],
    source: "https://docs.adyen.com/development-resources/api-idempotency",
    checked,
  },
  checkout: {
    provider: "Checkout.com",
    key: header("Cko-Idempotency-Key"),
    window: "24h",
    concurrent: "rejected",
    mismatch: "ignored",
    replaysErrors: false,
    notes: [
      "Only 2xx answers are stored; after a 4xx or 5xx the payment is attempted again.",
      "An overlapping repeat gets 429; 30 seconds of patience are recommended. An older page gives sandboxes 120 seconds.",
    ],
    source: "https://www.checkout.com/docs/payments/manage-payments/idempotency",
    checked,
  },
  truelayer: {
    provider: "TrueLayer Payments v3",
    key: header("Idempotency-Key"),
    window: "6h",
    concurrent: "serial",
    mismatch: "rejected",
    replaysErrors: false,
    uuid4: true,
    notes: ["One page promises 30 days, another 6 hours: the shorter time is taken here."],
    source: "https://docs.truelayer.com/docs/add-idempotency-to-your-payments-requests",
    checked,
  },
  qonto: {
    provider: "Qonto",
    key: header("X-Qonto-Idempotency-Key"),
    window: "30m",
    concurrent: "serial",
    mismatch: "ignored",
    replaysErrors: false,
    notes: [
      "The stored success is returned even if the body differs. After 30 minutes the key creates a new resource.",
    ],
    source: "https://docs.qonto.com/get-started/general/idempotent-requests",
    checked,
  },
  mangopay: {
    provider: "Mangopay",
    key: header("Idempotency-Key"),
    window: "24h",
    concurrent: "rejected",
    mismatch: "ignored",
    replaysErrors: false,
    notes: [
      "A repeat is blocked with 409 and does not return the first answer: add a rule to `repeatAnswers` for it.",
      "Keys have 16 to 36 letters, digits and dashes.",
    ],
    source: "https://docs.mangopay.com/guide/idempotency-support",
    checked,
  },
  resend: {
    provider: "Resend",
    key: header("Idempotency-Key"),
    window: "24h",
    concurrent: "serial",
    mismatch: "ignored",
    replaysErrors: false,
    notes: ["For POST /emails and /emails/batch only: other endpoints do not know keys."],
    source: "https://resend.com/docs/dashboard/emails/idempotency-keys",
    checked,
  },
  "aws-client-token": {
    provider: "AWS APIs with a ClientToken",
    key: argument("/ClientToken"),
    window: "8h",
    concurrent: "serial",
    mismatch: "rejected",
    replaysErrors: false,
    notes: [
      "The time is each service's own; 8 hours are the shortest that several name. Look yours up and set `window`.",
      "Other parameters with the same token are an error (IdempotentParameterMismatch, in some services a conflict).",
    ],
    source: "https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html",
    checked,
  },
  "aws-cloud-control": {
    provider: "AWS Cloud Control API",
    key: argument("/ClientToken"),
    window: "36h",
    concurrent: "serial",
    mismatch: "ignored",
    replaysErrors: false,
    notes: ["Without a token one is made for each request, which protects nothing."],
    source: "https://docs.aws.amazon.com/cloudcontrolapi/latest/APIReference/API_CreateResource.html",
    checked,
  },
  "azure-repeatability": {
    provider: "Azure services with OASIS repeatable requests",
    key: header("Repeatability-Request-ID"),
    window: "5m",
    concurrent: "rejected",
    mismatch: "rejected",
    replaysErrors: false,
    notes: [
      "Needs a second header, Repeatability-First-Sent, with the time of the FIRST send on every repeat: the tool itself must keep it.",
      "An older first-sent time gets 412, another body 400, a repeat in flight 409. After a 5xx it is carried out again.",
    ],
    source: "https://learn.microsoft.com/en-us/rest/api/communication/repeatable-requests",
    checked,
  },
  "google-aip-155": {
    provider: "Google APIs with request_id (AIP-155)",
    key: argument("/request_id"),
    window: "60m",
    concurrent: "serial",
    mismatch: "ignored",
    replaysErrors: false,
    uuid4: true,
    notes: ["Most references promise at least 60 minutes; the zero UUID is refused."],
    source: "https://google.aip.dev/155",
    checked,
  },
  "ietf-idempotency-key": {
    provider: "Any HTTP API that follows draft-ietf-httpapi-idempotency-key-header-07",
    key: header("Idempotency-Key"),
    concurrent: "rejected",
    mismatch: "rejected",
    replaysErrors: true,
    notes: [
      "The draft has expired and was never a standard. A server that follows it must publish how long it remembers: set `window`.",
      "400 without a key, 409 while the first is in flight, 422 with another body.",
    ],
    source: "https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07",
    checked,
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]];
