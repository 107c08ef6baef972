/**
 * Probes looked at with ill will (S16, V1-01, V1-03): an answer that cannot say is no absence, what is no effect is no
 * presence, and a value from a call changes neither the question nor the comparison.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { httpProbe, sqlProbe } from "../../adapters/reconcilers/index.ts";
import type { Intent, JsonObject, JsonValue, Observation } from "../../src/index.ts";
import { type Found, probe } from "../../src/probe/probe.ts";
import { guardOf, SERVER } from "./support.ts";

const KEY = "1a111111-1111-8111-8111-11111111111b";
const intentOf = (args: JsonObject = { order: "o-1", amount: 12 }): Intent => ({
  operation: "op_1",
  key: KEY,
  server: SERVER,
  tool: "create_invoice",
  arguments: args,
  issuedAt: 1_000,
  age: 5,
  attempts: 1,
});
const tools = (baseline?: object) => ({
  call: async () => ({}),
  signal: new AbortController().signal,
  baseline,
});
const asked = async (look: () => Promise<Observation>): Promise<Observation> => {
  try {
    return await look();
  } catch (error) {
    return { kind: "unclear", reason: (error as Error).message };
  }
};
const looked = (found: Found, answer: JsonValue, args?: JsonObject, rules = {}) =>
  asked(async () => probe({ request: {}, found, ...rules }, async () => answer)(intentOf(args), tools({ count: 0 })));
const byKey: Found = { at: "/data/list", where: { "/ref": "{{key}}" } };
const byOrder: Found = { at: "/list", where: { "/order": "{{arguments/order}}" }, identifies: true };

describe("a value from a call is compared, it never becomes a comparison", () => {
  it.each<[what: string, order: JsonValue]>([
    ["newer than nothing", { after: null }],
    ["newer than anything", { after: 0 }],
    ["any text with an o", { contains: "o" }],
  ])("%s finds nothing of another", async (_what, order) => {
    expect((await looked(byOrder, { list: [{ order: "o-2" }, { order: 5 }] }, { order })).kind).toBe("absent");
  });

  it("an object is equal to itself, also one that looks like a comparison", async () => {
    const order = { contains: "o" };
    expect((await looked(byOrder, { list: [{ order }] }, { order })).kind).toBe("applied");
  });
});

describe("is no absence", () => {
  it.each<[what: string, found: Found, answer: JsonValue]>([
    ["null, as in an answer with errors beside it", byKey, { data: { list: null }, errors: [{ message: "timeout" }] }],
    ["an empty text", { at: "/content/0/text", where: { "": { contains: "{{key}}" } } }, { content: [{ text: "" }] }],
    ["false", byKey, { data: { list: false } }],
    ["an empty object", byKey, { data: { list: {} } }],
    ["our key in capitals", byKey, { data: { list: [{ ref: KEY.toUpperCase() }] } }],
    ["our key without its dashes", byKey, { data: { list: [{ ref: KEY.replaceAll("-", "") }] } }],
    [
      "our key in capitals in a text",
      { ...byKey, where: { "/ref": { contains: "{{key}}" } } },
      {
        data: { list: [{ ref: `ref ${KEY.toUpperCase()}` }] },
      },
    ],
    [
      "our key beside another amount",
      { ...byKey, where: { "/ref": "{{key}}", "/amount": "{{arguments/amount}}" } },
      {
        data: { list: [{ ref: KEY, amount: 11.99 }] },
      },
    ],
    ["another case", byOrder, { list: [{ order: "O-1" }] }],
    ["a space more", byOrder, { list: [{ order: "o-1 " }] }],
    ["a cursor beside the list", byKey, { data: { list: [], nextCursor: "2" } }],
    ["a cursor around it", byKey, { data: { list: [] }, next_page_token: "2" }],
    ["word of more pages", byKey, { data: { list: [] }, pageInfo: { hasNextPage: true } }],
    ["a cut list", byKey, { data: { list: [{ ref: "x" }], isTruncated: true } }],
    ["a link to more", byKey, { data: { list: [] }, links: { next: "/invoices?page=2" } }],
  ])("%s", async (_what, found, answer) => {
    expect((await looked(found, answer)).kind).toBe("unclear");
  });

  it.each<[what: string, order: JsonValue, shown: JsonValue]>([
    ["a number as a text", 7, "7"],
    ["a text as a number", "7", 7],
    ["a decimal as a database writes it", 7, "7.00"],
    ["a truth as a text", true, "true"],
  ])("%s", async (_what, order, shown) => {
    expect((await looked(byOrder, { list: [{ order: shown }] }, { order })).kind).toBe("unclear");
  });

  it.each<[what: string, answer: JsonValue]>([
    ["no cursor", { data: { list: [], nextCursor: null, has_more: false, links: { next: null } } }],
    ["an empty cursor", { data: { list: [], next_cursor: "" }, pagination: { next: "", total: 0 } }],
  ])("but with %s it is", async (_what, answer) => {
    expect((await looked(byKey, answer)).kind).toBe("absent");
  });
});

describe("is no presence", () => {
  it("an answer that is no list, where nothing says what shows the effect", async () => {
    expect((await looked({ filtered: true }, { data: [] })).kind).toBe("unclear");
  });

  it.each<[what: string, found: object]>([
    ["no place and no condition", {}],
    ["a filter alone", { filtered: true }],
  ])("a tool's answer whatever it says: %s is refused at start", (_what, found) => {
    const reconcile = { tool: "find_invoice", arguments: { r: "{{key}}" }, found, settle: 1 };
    const create_invoice = { identityArgs: ["/order"], marker: { argument: "/mode" }, reconcile };
    expect(() => guardOf({ tools: { find_invoice: { effect: "read" }, create_invoice } })).toThrow(
      "create_invoice.reconcile.found: say where the items stand",
    );
  });
});

describe("rules of SQL and HTTP probes are checked at start, as those of tools", () => {
  const guard = (reconcile: object) =>
    guardOf({
      tools: { create_invoice: { identityArgs: ["/order"], marker: { argument: "/mode" }, reconcile } },
    } as never);
  it.each<[what: string, reconcile: () => object, told: string]>([
    ["a misspelt place", () => sqlProbe({ query: () => [], sql: "select 1", values: ["{{keyy}}"] }), "{{keyy}}"],
    [
      "a statement that is trusted to filter",
      () => sqlProbe({ query: () => [], sql: "select 1", values: ["{{key}}"], settle: 1 }),
      "name the field that shows the key",
    ],
    [
      "a watermark that is not used",
      () => httpProbe({ url: "https://x.example/", found: {}, baseline: { watermark: "/id" } }),
      "use the watermark",
    ],
    [
      "a count as a ground for another send",
      () => sqlProbe({ query: () => [], sql: "select 1", baseline: "count", settle: 1, resendWhenAbsent: true }),
      "a count that has not grown is no ground",
    ],
  ])("%s", (_what, reconcile, told) => {
    expect(() => guard(reconcile())).toThrow(told);
  });
});

describe("over HTTP", () => {
  async function service(answer: { body?: string; link?: string; type?: string } = {}) {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? "");
      const { body = '{"data":[]}', link, type = "application/json" } = answer;
      response.writeHead(200, { "content-type": type, ...(link !== undefined && { link }) }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return { paths, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }
  const found = { at: "/data", where: { "/ref": "{{key}}" } };

  it.each(["..", ".", ""])("V1-03 %j as a part of the path asks nobody", async (order) => {
    const { paths, url } = await service();
    const { look } = httpProbe({ url: `${url}/orders/{{arguments/order}}/invoice`, found });
    const seen = await asked(async () => look(intentOf({ order }), tools() as never));
    expect([seen.kind, paths]).toEqual(["unclear", []]);
  });

  it.each([
    "https://api.example{{arguments/order}}",
    "https://api.{{arguments/order}}.example/x",
    "https://api.example:{{arguments/order}}/x",
    "https://{{arguments/order}}@api.example/x",
  ])("%s is refused: a value of a call would name the host", (url) => {
    expect(() => httpProbe({ url, found })).toThrow("httpProbe: url");
  });

  it.each(["https://api.example?r={{key}}", "https://api.example/a/{{key}}", "https://api.example"])(
    "%s is taken",
    (url) => {
      expect(() => httpProbe({ url, found })).not.toThrow();
    },
  );

  it.each<[what: string, answer: { body?: string; link?: string; type?: string }]>([
    ["a link to the next page", { link: '</invoices?page=2>; rel="next", </x>; rel=last' }],
    ["a page for people with status 200", { body: "<html>Sign in</html>", type: "text/html" }],
    ["nothing with status 200", { body: "" }],
    ["null with status 200", { body: "null" }],
  ])("%s is no absence", async (_what, answer) => {
    const { url } = await service(answer);
    const { look } = httpProbe({ url, found });
    expect((await asked(async () => look(intentOf(), tools() as never))).kind).toBe("unclear");
  });

  it("nor is one page of several counted as what is there before the send", async () => {
    const { url } = await service({ link: "</?page=2>; rel=next" });
    const { baseline } = httpProbe({ url, found: { at: "/data" }, baseline: "count" });
    await expect(baseline?.(intentOf(), tools() as never)).rejects.toThrow("more pages");
  });
});
