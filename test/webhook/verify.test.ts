/** The receiver's side of a webhook, against every way of being fooled that we know. */
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { type VerifyOptions, verifyWebhook } from "../../adapters/webhook/index.ts";
import { SECRET } from "./receiver.ts";

const NOW = 1_800_000_000_000;
const BODY = JSON.stringify({ id: "evt_1", kind: "queued", at: NOW, server: "b", tool: "t", reason: "silence" });

/** Written out here once more: a receiver in another language does the same. */
function signed(body = BODY, { at = NOW, secret = SECRET } = {}): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const hmac = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return { "indoubt-timestamp": timestamp, "indoubt-signature": `v1=${hmac}` };
}
const verify = (headers: VerifyOptions["headers"], more: Partial<VerifyOptions> = {}) =>
  verifyWebhook({ secret: SECRET, headers, body: BODY, now: NOW, ...more });

test("a post is taken from headers of Node or of fetch, from a text or from bytes", () => {
  const event = { ok: true, event: JSON.parse(BODY) };
  expect(verify(signed())).toEqual(event);
  expect(verify(new Headers(signed()))).toEqual(event);
  const upper = Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]);
  expect(verify(Object.fromEntries(upper))).toEqual(event);
  expect(verify(signed(), { body: Buffer.from(BODY) })).toEqual(event);
});

test("while the secret changes, both are good", () => {
  const next = "fedcba9876543210fedcba9876543210";
  expect(verify(signed(BODY, { secret: next })).ok).toBe(false);
  expect(verify(signed(BODY, { secret: next }), { secret: [SECRET, next] }).ok).toBe(true);
});

test.each([
  ["unsigned", {}],
  ["unsigned", { ...signed(), "indoubt-timestamp": "" }],
  ["unsigned", { ...signed(), "indoubt-timestamp": "1e9" }],
  ["forged", { ...signed(), "indoubt-timestamp": "1800000001" }],
  ["forged", { ...signed(), "indoubt-signature": "v1=00" }],
  ["forged", { ...signed(), "indoubt-signature": signed()["indoubt-signature"]?.slice(3) ?? "" }],
  ["forged", signed(`${BODY} `)],
  ["forged", signed(BODY, { secret: "another secret, another sender" })],
  ["stale", signed(BODY, { at: NOW - 301_000 })],
  ["stale", signed(BODY, { at: NOW + 302_000 })],
])("a post is refused as %s: %o", (because, headers) => {
  expect(verify(headers)).toEqual({ ok: false, because });
});

test("what is signed and is no event of ours is malformed", () => {
  for (const body of ["no json", "null", "[]", '{"id":"evt_1","kind":"other"}']) {
    expect(verify(signed(body), { body })).toEqual({ ok: false, because: "malformed" });
  }
});

test("a short secret is a mistake of the receiver, and said so", () => {
  expect(() => verify(signed(), { secret: "short" })).toThrow(/16 bytes/);
});
