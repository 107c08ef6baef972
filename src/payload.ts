/** The encrypted part of a record: redacted arguments and the answer. AES-256-GCM, bound to the operation id. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Keyring } from "./core/identity.ts";
import type { Answer } from "./core/outcome.ts";
import type { JsonObject } from "./core/terms.ts";
import { freshBytes } from "./random.ts";
import type { Baseline } from "./reconcile-api.ts";

export interface Payload {
  /** Redacted copy of the arguments. */
  readonly arguments?: JsonObject;
  /** Nothing was redacted: the call can be sent again from here. */
  readonly complete?: boolean;
  readonly answer?: Answer;
  /** What was there before the first send. */
  readonly baseline?: Baseline;
}

const PURPOSE = "payload";

export const sealPayload = (keys: Keyring, operation: string, payload: Payload): string =>
  sealPayloadText(keys, operation, JSON.stringify(payload));

/** @param text a {@link Payload} as JSON */
export const sealPayloadText = (keys: Keyring, operation: string, text: string): string =>
  seal(keys, `${PURPOSE} ${operation}`, text);

/** Undefined when it is missing or cannot be read (another secret, damaged): the record itself still speaks. */
export function openPayload(keys: Keyring, operation: string, sealed: string | undefined): Payload | undefined {
  const text = sealed === undefined ? undefined : unseal(keys, `${PURPOSE} ${operation}`, sealed);
  return text === undefined ? undefined : (JSON.parse(text) as Payload);
}

export function seal(keys: Keyring, context: string, text: string): string {
  const nonce = freshBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keys.derive(PURPOSE), nonce);
  cipher.setAAD(Buffer.from(`${keys.namespace} ${context}`));
  const body = cipher.update(text, "utf8");
  cipher.final(); // of this mode nothing is left over: it makes the tag
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64");
}

export function unseal(keys: Keyring, context: string, sealed: string): string | undefined {
  try {
    const bytes = Buffer.from(sealed, "base64");
    const decipher = createDecipheriv("aes-256-gcm", keys.derive(PURPOSE), bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(`${keys.namespace} ${context}`));
    decipher.setAuthTag(bytes.subarray(-16));
    return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}
