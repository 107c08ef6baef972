/** A card as a file: sealed with a digest when it is made, checked when it is read. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Card } from "./card-api.ts";
import { canonicalJson } from "./core/canonical-json.ts";
import type { JsonValue } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";

const refused = (text: string): IndoubtError => new IndoubtError("CONFIG_INVALID", text);

const digestOf = (card: Omit<Card, "digest">): string =>
  createHash("sha256")
    .update(canonicalJson(JSON.parse(JSON.stringify(card)) as JsonValue))
    .digest("base64url");

export function sealedCard(card: Omit<Card, "digest">): Card {
  const plain = JSON.parse(JSON.stringify(card)) as Omit<Card, "digest">;
  return { ...plain, digest: digestOf(plain) };
}

const cardSchema = z.looseObject({
  version: z.literal(1),
  server: z.string().min(1),
  tool: z.string().min(1),
  fingerprint: z.string().min(1),
  contract: z.string().optional(),
  release: z.strictObject({ name: z.string(), version: z.string() }).optional(),
  on: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  verdict: z.enum(["passed", "failed", "inconclusive"]),
  digest: z.string().min(1),
});

/**
 * @param input the parsed JSON of a card
 * @throws IndoubtError CONFIG_INVALID when it is none, or was edited by hand
 */
export function parseCard(input: unknown): Card {
  const parsed = cardSchema.safeParse(input);
  const cure = "Make it again with: indoubt card";
  if (!parsed.success)
    throw refused(
      `This is no evidence card: ${parsed.error.issues[0]?.path.join(".")} ${parsed.error.issues[0]?.message}. ${cure}`,
    );
  const { digest, ...rest } = parsed.data as unknown as Card;
  if (digest !== digestOf(rest))
    throw refused(`The card of "${rest.tool}" was changed after the test: its digest does not fit. ${cure}`);
  return { ...rest, digest };
}
