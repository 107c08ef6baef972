/** How a post proves where it comes from: HMAC-SHA256 over `timestamp.body`. */
import { createHmac } from "node:crypto";

export const TIMESTAMP_HEADER = "indoubt-timestamp";
export const SIGNATURE_HEADER = "indoubt-signature";

/** @param timestamp seconds since 1970, as in the header */
export function signatureOf(secret: Uint8Array, timestamp: string, body: string | Uint8Array): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex")}`;
}

/** Each send is signed anew, so that one that was retried for long is not stale on arrival. */
export function signedHeaders(secret: Uint8Array, body: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  return {
    "content-type": "application/json",
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: signatureOf(secret, timestamp, body),
  };
}
