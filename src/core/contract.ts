/**
 * Contracts: the destination's documented promise to collapse repeats, reviewed by the operator. A contract only ever
 * allows a RESEND of an operation on record; calls pass without one. Source of the rules: IETF Idempotency-Key draft.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "./canonical-json.ts";
import { type Duration, durationSchema } from "./duration.ts";
import type { ContractTerms } from "./lifecycle-events.ts";
import { parsePointer } from "./pointer.ts";
import type { JsonValue } from "./terms.ts";

/** Where the key goes. Never an MCP field of our own invention. */
export type KeyPlace = { readonly argument: string } | { readonly meta: string } | { readonly header: string };

export interface ContractInput {
  /**
   * What the destination recognises a repeat by. `arguments` needs `identityArgs`.
   * @example "key"
   */
  readonly dedupes: "key" | "arguments";
  /**
   * Where the destination reads the key. Never a field that MCP does not have.
   * @default none; needed for `key`
   * @example { argument: "/idempotency_key" }
   */
  readonly key?: KeyPlace | undefined;
  /**
   * `uuid4` for destinations that take no other UUID: the same key, marked as version 4.
   * @default "uuid"
   * @example "uuid4"
   */
  readonly keyFormat?: "uuid" | "uuid4" | undefined;
  /**
   * How long the destination remembers, from the issue of the intent. It is in their documentation.
   * @example "24h"
   */
  readonly window: Duration;
  /**
   * Taken off the window: the resend itself may land late.
   * @default 60000
   * @example "5m"
   */
  readonly margin?: Duration | undefined;
  /**
   * What it does with overlapping repeats. `serial`: they are not safe, wait for quiescence.
   * @example "serial"
   */
  readonly concurrent: "rejected" | "joined" | "serial";
  /**
   * What it does with the same key and other arguments.
   * @example "rejected"
   */
  readonly mismatch: "rejected" | "ignored";
  /**
   * Whether it repeats stored errors, too: then an error answer to a resend is the answer to every send under the key.
   * @example true
   */
  readonly replaysErrors: boolean;
  /**
   * Whether the rejection of a repeat speaks for the whole operation.
   * @default false
   * @example true
   */
  readonly rejectionAuthoritative?: boolean | undefined;
  /**
   * Whose keys they are, and whether what lies behind the destination takes part.
   * @example { caller: "acme-prod", downstream: "included" }
   */
  readonly scope: { readonly caller: string; readonly downstream: "included" | "excluded" };
  /**
   * Who read the promise, where and when (ISO dates). After `expires` the contract is out of force; `card` is the file
   * of the evidence card.
   * @example { source: "https://example.com/idempotency", by: "ops", on: "2026-11-30" }
   */
  readonly review: {
    readonly source: string;
    readonly by: string;
    readonly on: string;
    readonly expires?: string | undefined;
    readonly card?: string | undefined;
  };
  /**
   * The reviewed definition of the tool. Another definition puts the contract out of force.
   * @default none, and the contract is not in force
   * @example { tool: toolFingerprint(definition) }
   */
  readonly pin?: { readonly tool: string } | undefined;
}

export interface Contract extends Omit<ContractInput, "window" | "margin"> {
  readonly window: number;
  readonly margin: number;
  readonly rejectionAuthoritative: boolean;
  /** Changes whenever a term changes; a record resends only under the contract that it was sent under. */
  readonly fingerprint: string;
}

/** The 30th of February is none. */
function isDay(text: string): boolean {
  const at = new Date(text.slice(0, 10));
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text.slice(0, 10);
}

const META_NAME =
  /^(?:[a-zA-Z](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*\/)?[a-zA-Z0-9](?:[\w.-]*[a-zA-Z0-9])?$/;
const RESERVED_META = /^[^/]*?(?:^|\.)(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//;
const DAY = 'an ISO date such as "2026-11-30"';
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/, DAY)
  .refine(isDay, DAY);

export const keySchema = z.union([
  z.strictObject({
    argument: z
      .string()
      .refine((at) => at !== "" && parsePointer(at) !== undefined, 'a JSON Pointer such as "/idempotency_key"'),
  }),
  z.strictObject({
    meta: z
      .string()
      .regex(META_NAME, 'a _meta name such as "com.acme/idempotency-key"')
      .refine((name) => !RESERVED_META.test(name), "this prefix is reserved by MCP; use the destination's own name"),
  }),
  z.strictObject({ header: z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "an HTTP header name") }),
]);

export const contractSchema = z
  .strictObject({
    dedupes: z.enum(["key", "arguments"]),
    key: keySchema.optional(),
    keyFormat: z.enum(["uuid", "uuid4"]).optional(),
    window: durationSchema,
    margin: durationSchema.default(60_000),
    concurrent: z.enum(["rejected", "joined", "serial"]),
    mismatch: z.enum(["rejected", "ignored"]),
    replaysErrors: z.boolean(),
    rejectionAuthoritative: z.boolean().default(false),
    scope: z.strictObject({ caller: z.string().min(1), downstream: z.enum(["included", "excluded"]) }),
    review: z.strictObject({
      source: z.string().min(1),
      by: z.string().min(1),
      on: day,
      expires: day.optional(),
      card: z.string().optional(),
    }),
    pin: z.strictObject({ tool: z.string().min(1) }).optional(),
  })
  .superRefine((input, context) => {
    if (input.dedupes === "key" && !input.key) {
      context.addIssue({
        code: "custom",
        path: ["key"],
        message:
          'a contract that dedupes by key says where the key goes: { argument: "/…" }, { meta: "…" } or { header: "…" }',
      });
    }
    if (input.margin >= input.window) {
      context.addIssue({ code: "custom", path: ["margin"], message: "must be shorter than the window" });
    }
  });

/** A parsed contract with its fingerprint. */
export function sealContract(parsed: z.output<typeof contractSchema>): Contract {
  const { review: _review, pin: _pin, ...terms } = parsed;
  return { ...parsed, fingerprint: fingerprint(JSON.parse(JSON.stringify(terms)) as JsonValue) } as Contract;
}

const fingerprint = (value: JsonValue): string =>
  createHash("sha256").update(canonicalJson(value)).digest("base64url").slice(0, 12);

export interface ReviewedDefinition {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
}

/**
 * Fingerprint of a tool definition: name, schemas and annotations; the description is a note, not a term.
 * @example contract({ …, pin: { tool: toolFingerprint(definition) } })
 */
export function toolFingerprint(definition: ReviewedDefinition): string {
  const { name, inputSchema, outputSchema, annotations } = definition;
  const plain = JSON.parse(JSON.stringify({ name, inputSchema, outputSchema, annotations })) as JsonValue;
  return fingerprint(plain);
}

export const CONTRACT_OBSTACLES = {
  not_pinned: "the contract has no pin: review the tool definition and write its fingerprint into `pin`",
  catalogue_unknown: "the server's current tool list is not known, so the pin cannot be compared",
  drift: "the tool definition differs from the pinned one: review it again",
  expired: "the review has expired",
  suspended: "the contract is suspended until a person lifts it",
  tool_gone: "the server no longer lists the tool",
  card_missing: "the evidence card that the contract cites was not read, or is the card of something else",
} as const;
export type ContractObstacle = keyof typeof CONTRACT_OBSTACLES;

export interface ContractFacts {
  /** Wall-clock day, ISO. */
  readonly today: string;
  /** Fingerprint of the live definition; undefined: the list is not known; null: the tool is not in it. */
  readonly live: string | null | undefined;
  readonly suspended: boolean;
}

/** In force only if every obstacle is absent. An inactive contract never stops a call, only a resend. */
export function contractObstacle(contract: Contract, facts: ContractFacts): ContractObstacle | undefined {
  if (facts.suspended) return "suspended";
  if (!contract.pin) return "not_pinned";
  if (contract.review.expires !== undefined && facts.today > contract.review.expires) return "expired";
  if (facts.live === undefined) return "catalogue_unknown";
  if (facts.live === null) return "tool_gone";
  return facts.live === contract.pin.tool ? undefined : "drift";
}

/** The key as the destination gets it. */
export const keyText = (contract: Contract | undefined, key: string): string =>
  contract?.keyFormat === "uuid4" ? `${key.slice(0, 14)}4${key.slice(15)}` : key;

export const contractTerms = (contract: Contract): ContractTerms => ({
  fingerprint: contract.fingerprint,
  window: contract.window,
  margin: contract.margin,
  serial: contract.concurrent === "serial",
});
