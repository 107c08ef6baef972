import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/core/canonical-json.ts";
import { copyArguments } from "../../src/core/copy-arguments.ts";
import {
  argumentsDigest,
  dedupKey,
  fingerprintOf,
  groupOf,
  type IdentityValue,
  issueTimeOf,
  keyring,
  operationIdOf,
  type Place,
  threadDigest,
} from "../../src/core/identity.ts";
import type { JsonObject, JsonValue } from "../../src/core/terms.ts";

const keys = keyring(Buffer.alloc(32, 7), "acme-agents");
const otherKeys = keyring(Buffer.alloc(32, 8), "acme-agents");
const place: Place = { tenant: "acme", server: "billing", tool: "create_invoice" };
const json = fc.jsonValue({ maxDepth: 5 }) as fc.Arbitrary<JsonValue>;

describe("canonical form (RFC 8785), for identity only", () => {
  it.each<[string, JsonValue, string]>([
    [
      "the RFC's example of primitive values",
      {
        numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
        string: '€$\u000f\nA\'B"\\\\"/',
        literals: [null, true, false],
      },
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    ],
    [
      "the RFC's example of sorting by UTF-16 units",
      {
        "€": "Euro Sign",
        "\r": "Carriage Return",
        \ufb33: "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "😀": "Emoji: Grinning Face",
        "\u0080": "Control",
        ö: "Latin Small Letter O With Diaeresis",
      },
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    ],
    ["minus zero", [-0, 0], "[0,0]"],
    ["the largest and the smallest number", [Number.MAX_VALUE, Number.MIN_VALUE], "[1.7976931348623157e+308,5e-324]"],
    ["numbers where the exponent begins", [1e20, 1e21, 1e-6, 1e-7], "[100000000000000000000,1e+21,0.000001,1e-7]"],
    ["empty things", { a: {}, b: [], c: "" }, '{"a":{},"b":[],"c":""}'],
  ])("%s", (_what, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it("is JSON of the same value, in one order of names, however they came", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(canonicalJson({ b: 1, a: { d: 2, c: 3 } })).toBe(canonicalJson({ a: { c: 3, d: 2 }, b: 1 }));
  });
});

describe("arguments are copied as they will be sent, or refused with the place and the cure", () => {
  class Money {
    readonly amount = 1;
  }
  const cycle: Record<string, unknown> = { a: {} };
  (cycle.a as Record<string, unknown>).up = cycle;
  const deep = (levels: number): unknown =>
    Array.from({ length: levels }).reduce<unknown>((inner) => ({ in: inner }), 1);
  const sparse = [1];
  sparse[2] = 3;

  it.each<[string, unknown, string, string]>([
    ["a BigInt", { amount: 10n }, "/amount", "a BigInt"],
    ["a cycle", cycle, "/a/up", "a cycle"],
    ["undefined", { a: [{ b: undefined }] }, "/a/0/b", "undefined"],
    ["a hole in an array", { list: sparse }, "/list/1", "undefined"],
    ["NaN", { n: Number.NaN }, "/n", "NaN"],
    ["Infinity", { n: Number.POSITIVE_INFINITY }, "/n", "Infinity"],
    ["a function", { f: () => 1 }, "/f", "function"],
    ["a symbol", { s: Symbol("s") }, "/s", "symbol"],
    ["a class instance", { price: new Money() }, "/price", "a Money instance"],
    ["a Map", { m: new Map([["a", 1]]) }, "/m", "a Map instance"],
    ["a lone surrogate in a text", { t: "a\ud800" }, "/t", "a string with a lone surrogate"],
    ["a lone surrogate in a name", { "a\udc00": 1 }, "/", "a name with a lone surrogate"],
    ["more than 200 levels", deep(202), `${"/in".repeat(201)}`, "nested deeper than 200"],
    [
      "a getter that throws",
      Object.defineProperty({}, "x", {
        enumerable: true,
        get: () => {
          throw new Error("no");
        },
      }),
      "/",
      "a getter or toJSON that throws",
    ],
    ["a name with slash and tilde", { "a/b~c": 1n }, "/a~1b~0c", "a BigInt"],
    ["an array instead of an object", [1], "", "not an object"],
    ["a text instead of an object", "text", "", "not an object"],
  ])("%s", (_name, value, at, what) => {
    const copied = copyArguments(value);
    expect(copied).toMatchObject({ kind: "not_json", at, what });
    expect((copied as { cure: string }).cure).toMatch(/\.$/);
  });

  it("takes dates and other things with toJSON as JSON does, 200 levels, and nothing at all", () => {
    expect(copyArguments({ on: new Date(0) })).toEqual({ kind: "json", value: { on: "1970-01-01T00:00:00.000Z" } });
    expect(copyArguments(deep(200)).kind).toBe("json");
    expect(copyArguments(undefined)).toEqual({ kind: "json", value: {} });
    expect(copyArguments(Object.assign(Object.create(null), { a: 1 }))).toEqual({ kind: "json", value: { a: 1 } });
  });

  it("the same object twice is no cycle", () => {
    const shared = { a: 1 };
    expect(copyArguments({ one: shared, two: shared }).kind).toBe("json");
  });

  it("`__proto__` is a name like any other and pollutes nothing", () => {
    const copied = copyArguments(JSON.parse('{"__proto__":{"admin":true},"a":{"__proto__":1}}'));
    const value = (copied as { value: JsonObject }).value;
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true},"a":{"__proto__":1}}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"admin":true},"a":{"__proto__":1}}');
    expect((value as { admin?: unknown }).admin).toBeUndefined();
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it("is a copy: what the caller changes afterwards is not sent", () => {
    const mine = { list: [{ a: 1 }] };
    const copied = copyArguments(mine);
    (mine.list[0] as { a: number }).a = 2;
    expect(copied).toEqual({ kind: "json", value: { list: [{ a: 1 }] } });
  });

  it("changes no value", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), json), (value) => {
        const copied = copyArguments(value);
        if (copied.kind === "json") expect(JSON.stringify(copied.value)).toBe(JSON.stringify(value));
      }),
    );
  });
});

describe("operation ids (C04, S17, S18)", () => {
  const id = (value: IdentityValue, where: Partial<Place> = {}, ring = keys) => {
    const there = { ...place, ...where };
    return operationIdOf(ring, there, groupOf(ring, there).tag, value);
  };
  const explicit = { rank: 1, operationId: "op-1" } as const;
  const framework = { rank: 2, run: "r", turn: "t", toolCallId: "c" } as const;

  it("are the same on every machine that holds the secret, also after the store was lost (I7)", () => {
    expect(id(explicit)).toBe(id(explicit, {}, keyring(Buffer.alloc(32, 7), "acme-agents")));
    expect(id(explicit)).toMatch(/^[0-9a-z]{10}_[0-9a-z]{26}$/);
  });

  it.each<[string, string]>([
    ["tenant", id(explicit, { tenant: "globex" })],
    ["server: a similarly named tool elsewhere inherits nothing (S18, D2-04)", id(explicit, { server: "billing2" })],
    ["tool (D2-01)", id(explicit, { tool: "create_credit" })],
    ["secret", id(explicit, {}, otherKeys)],
    ["namespace", id(explicit, {}, keyring(Buffer.alloc(32, 7), "other-agents"))],
    ["value", id({ rank: 1, operationId: "op-2" })],
    ["run, turn and call id", id(framework)],
    ["turn: call ids repeat (D1-07)", id({ ...framework, turn: "t2" })],
  ])("differ by %s", (_what, other) => {
    expect(other).not.toBe(id(explicit));
    expect(id(framework)).not.toBe(id({ ...framework, turn: "t2" }));
  });

  it("no split of the parts gives the id of another split", () => {
    expect(id({ rank: 2, run: "a", turn: "b", toolCallId: "c" })).not.toBe(
      id({ rank: 2, run: "ab", turn: "", toolCallId: "c" }),
    );
    expect(id({ rank: 1, operationId: '2,"r","t","c"' })).not.toBe(id(framework));
  });

  it("without an identity of the caller they are fresh, and found again by their fingerprint", () => {
    expect(id({ rank: 3, fresh: Buffer.alloc(17, 1) })).not.toBe(id({ rank: 3, fresh: Buffer.alloc(17, 2) }));
    expect(id({ rank: 3, fresh: Buffer.alloc(17, 1) })).toMatch(/^[0-9a-z]{10}_[0-9a-z]{26}$/);
  });
});

describe("digests are keyed (S21): nobody without the secret can guess what was sent", () => {
  const canonical = '{"a":1}';
  it("arguments (I10)", () => {
    expect(argumentsDigest(keys, place, canonical)).toHaveLength(16);
    expect(argumentsDigest(keys, place, canonical)).not.toBe(argumentsDigest(otherKeys, place, canonical));
    expect(argumentsDigest(keys, place, canonical)).not.toBe(
      argumentsDigest(keys, { ...place, tenant: "globex" }, canonical),
    );
    expect(argumentsDigest(keys, place, canonical)).not.toBe(argumentsDigest(keys, place, '{"a":2}'));
  });

  it("threads and tenants", () => {
    expect(threadDigest(keys, place, "t")).not.toBe(threadDigest(otherKeys, place, "t"));
    expect(threadDigest(keys, place, "t")).not.toBe(threadDigest(keys, { ...place, tenant: "globex" }, "t"));
    expect(groupOf(keys, place).tenant).not.toContain("acme");
  });

  it("the id of a secret tells nothing of it and is stable", () => {
    expect(keys.id).toBe(keyring(Buffer.alloc(32, 7), "another").id);
    expect(keys.id).not.toBe(otherKeys.id);
    expect(keys.id).toHaveLength(6);
  });
});

describe("fingerprints: what makes two calls the same wanted effect (S10)", () => {
  const args = { customer: "acme", order: "42", note: "please" };
  const of = (value: JsonObject, rule = {}, principal = "", where = place, ring = keys) =>
    fingerprintOf(ring, where, principal, value, canonicalJson(value), rule);
  const named = { identityArgs: ["/customer", "/order"] };

  it("with identity arguments, other words are the same effect (D1-03); another order is another", () => {
    expect(of(args, named)).toBe(of({ ...args, note: "urgent" }, named));
    expect(of(args, named)).not.toBe(of({ ...args, order: "43" }, named));
  });

  it("without them all arguments count, but for declared volatile ones", () => {
    expect(of(args)).not.toBe(of({ ...args, note: "urgent" }));
    expect(of(args, { volatileArgs: ["/note"] })).toBe(of({ ...args, note: "urgent" }, { volatileArgs: ["/note"] }));
  });

  it("pointers that name nothing in the arguments are misspelt: then all arguments count, and calls stay apart", () => {
    const misspelt = { identityArgs: ["/custommer", "/ordre"] };
    expect(of(args, misspelt)).toBe(of(args));
    expect(of(args, misspelt)).not.toBe(of({ ...args, order: "43" }, misspelt));
    expect(of(args, { ...misspelt, volatileArgs: ["/note"] })).toBe(of(args, { volatileArgs: ["/note"] }));
    expect(of({ customer: null, note: "a" }, named)).toBe(of({ customer: null, note: "b" }, named));
  });

  it("a value does not slip from one identity argument into the other, nor does absence read as a text", () => {
    expect(of({ customer: "1", order: "2" }, named)).not.toBe(of({ customer: "2", order: "1" }, named));
    expect(of({ customer: "1" }, named)).not.toBe(of({ customer: "1", order: "null" }, named));
  });

  it.each([
    ["principal", of(args, named, "eve")],
    ["tenant", of(args, named, "", { ...place, tenant: "globex" })],
    ["server", of(args, named, "", { ...place, server: "staging" })],
    ["tool", of(args, named, "", { ...place, tool: "create_credit" })],
    ["secret", of(args, named, "", place, otherKeys)],
  ])("differ by %s", (_what, other) => {
    expect(other).not.toBe(of(args, named));
    expect(other).toHaveLength(22);
  });
});

describe("the dedup key (C04, D1-01)", () => {
  it("is a UUIDv8 that the operation alone decides: the same for every attempt, on every machine", () => {
    const key = dedupKey(keys, "group_operation");
    expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(dedupKey(keyring(Buffer.alloc(32, 7), "acme-agents"), "group_operation")).toBe(key);
    expect(dedupKey(keys, "group_other")).not.toBe(key);
    expect(dedupKey(otherKeys, "group_operation")).not.toBe(key);
  });
});

describe("issue times", () => {
  it.each([
    ["019a0000-0000-7000-8000-000000000000", 0x019a00000000],
    ["019A0000-0000-7FFF-BFFF-FFFFFFFFFFFF", 0x019a00000000],
    ["019a0000-0000-4000-8000-000000000000", undefined],
    ["019a0000-0000-7000-c000-000000000000", undefined],
    ["order-42", undefined],
  ])("%s", (text, time) => {
    expect(issueTimeOf(text)).toBe(time);
  });
});
