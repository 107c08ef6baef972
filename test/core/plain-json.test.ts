/** Pointers, durations and redaction: the small tools under configuration and records. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationSchema, parseDuration } from "../../src/core/duration.ts";
import { parsePointer, readPointer, withoutPointers, withPointer } from "../../src/core/pointer.ts";
import { REDACTED, redact } from "../../src/core/redaction.ts";
import type { JsonObject, JsonValue } from "../../src/core/terms.ts";

describe("JSON Pointer (RFC 6901)", () => {
  const rfc: JsonObject = {
    foo: ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
  };
  it.each<[string, JsonValue | undefined]>([
    ["", rfc],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
    ["/foo/2", undefined],
    ["/foo/-", undefined],
    ["/foo/00", undefined],
    ["/foo/length", undefined],
    ["/toString", undefined],
    ["/__proto__", undefined],
  ])("reads %s", (at, value) => {
    expect(readPointer(rfc, at)).toEqual(value);
  });

  it.each(["foo", "#/foo", "/a~", "/a~2"])("%s is no pointer", (at) => {
    expect(parsePointer(at)).toBeUndefined();
  });

  it("writes and removes on a copy", () => {
    const before: JsonObject = Object.freeze({ a: { b: 1 }, list: [{ x: 1 }, { x: 2 }] });
    expect(withPointer(before, "/a/c/d", 2)).toEqual({ a: { b: 1, c: { d: 2 } }, list: [{ x: 1 }, { x: 2 }] });
    expect(withPointer(before, "/list/1/x", 3)).toEqual({ a: { b: 1 }, list: [{ x: 1 }, { x: 3 }] });
    expect(withoutPointers(before, ["/a/b", "/list/0/x", "/none/here"])).toEqual({ a: {}, list: [{}, { x: 2 }] });
    expect(before).toEqual({ a: { b: 1 }, list: [{ x: 1 }, { x: 2 }] });
  });

  it("what was written is read back, also under names such as __proto__", () => {
    const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "a/b", "m~n", ""));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        const at = names.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
        expect(parsePointer(at)).toEqual(names);
        expect(readPointer(withPointer({}, at, "here"), at)).toBe("here");
        expect(readPointer(withoutPointers(withPointer({}, at, "here"), [at]), at)).toBeUndefined();
      }),
    );
    expect(({} as { here?: unknown }).here).toBeUndefined();
  });
});

describe("durations", () => {
  it.each([
    [0, 0],
    [1500, 1500],
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5m", 90_000],
    ["24h", 86_400_000],
    ["30d", 2_592_000_000],
    [" 5s ", 5_000],
  ])("%s", (written, ms) => {
    expect(parseDuration(written)).toBe(ms);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "", "30", "30 s", "s", "-5s", "1w", "5S", "1e3s"])(
    "%s is refused with examples",
    (written) => {
      const parsed = durationSchema.safeParse(written);
      expect(parsed.success).toBe(false);
    },
  );
});

describe("what is kept of arguments (S21)", () => {
  it.each([
    "password",
    "userPassword",
    "passphrase",
    "client_secret",
    "accessToken",
    "github_token",
    "X-CSRF-Token",
    "token",
    "api_key",
    "apiKey",
    "X-Api-Key",
    "Authorization",
    "credentials",
    "private_key",
    "cardNumber",
    "cvc",
    "IBAN",
    "payeeIban",
    "ssn",
    "customerSsnLast4",
    "passwordConfirmation",
    "user_password_hash",
    "PASSWORD2",
    "passwd",
    "passcode",
  ])("masks %s wherever it stands", (name) => {
    const kept = redact({ outer: [{ [name]: "value" }] }, []);
    expect(kept).toEqual({ value: { outer: [{ [name]: REDACTED }] }, complete: false });
  });

  it.each([
    "customer",
    "order",
    "amount",
    "passenger",
    "note",
    "page_token",
    "nextPageToken",
    "continuation-token",
    "sync_token",
    "max_tokens",
    "tokenCount",
    "businessName",
    "addressNumber",
    "className",
    "secretary",
  ])("keeps %s", (name) => {
    expect(redact({ [name]: "value" }, [])).toEqual({ value: { [name]: "value" }, complete: true });
  });

  it("masks what the operator names, and keeps identity arguments that only look sensitive", () => {
    expect(redact({ body: { text: "hello" }, token: "t-1" }, ["/body/text"], ["/token"])).toEqual({
      value: { body: { text: REDACTED }, token: "t-1" },
      complete: false,
    });
    expect(redact({ token: "t-1" }, ["/token"], ["/token"]).value).toEqual({ token: REDACTED });
  });

  it("a rule for everything leaves nothing, and still an object", () => {
    expect(redact({ a: 1 }, [""])).toEqual({ value: {}, complete: false });
  });

  it("a rule for what is not there changes nothing: the call can still be sent again from the copy", () => {
    expect(redact({ a: 1 }, ["/b", "/a/c"])).toEqual({ value: { a: 1 }, complete: true });
  });

  it("cuts long texts and says how long they were", () => {
    const { value, complete } = redact({ body: "x".repeat(5_000) }, []);
    expect(value.body).toBe(`${"x".repeat(2_000)}… [5000 characters]`);
    expect(complete).toBe(false);
  });

  it("does not touch the original", () => {
    const mine = { a: { password: "p" } };
    redact(mine, ["/a"]);
    expect(mine).toEqual({ a: { password: "p" } });
  });
});
