/** Probes that ask a real database and a real HTTP service (C05): bound values, own credentials, no writing. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { httpProbe, sqlProbe, toolProbe } from "../../adapters/reconcilers/index.ts";
import { callOf, guardOf, LOST, SERVER, sends, wireOf } from "./support.ts";

function shop() {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  db.exec("create table invoices (id integer primary key, reference text, customer text)");
  db.exec("insert into invoices (reference, customer) values ('other', 'acme')");
  const query = (sql: string, values: readonly unknown[]) => db.prepare(sql).all(...values) as object[];
  return { db, query };
}

describe("a probe in SQL", () => {
  const sql = "select id, reference from invoices where reference = ?";

  it("finds the row of our key and gives its reference", async () => {
    const { db, query } = shop();
    const reconcile = sqlProbe({ query, sql, values: ["{{key}}"], found: { filtered: true, ref: "/id" }, settle: 1 });
    const { guard } = guardOf({
      tools: { create_invoice: { identityArgs: ["/order"], marker: { argument: "/idempotency_key" }, reconcile } },
    });
    const wire = wireOf(({ arguments: args }) => {
      db.prepare("insert into invoices (reference) values (?)").run(args.idempotency_key);
      return LOST;
    });
    expect(await guard.perform(callOf(), wire)).toMatchObject({ kind: "applied", ref: "2" });
    expect(sends(wire)).toBe(1);
  });

  it("binds what a caller said: a value is never part of the statement", async () => {
    const { db, query } = shop();
    const byCustomer = "select id from invoices where customer = ?";
    const found = { filtered: true, identifies: true };
    const reconcile = sqlProbe({ query, sql: byCustomer, values: ["{{arguments/order}}"], found, settle: 1 });
    const { guard } = guardOf({ tools: { create_invoice: { identityArgs: ["/order"], reconcile } } });
    const evil = "x' or '1'='1'; drop table invoices; --";
    expect((await guard.perform(callOf({ order: evil }), wireOf(LOST))).kind).toBe("uncertain");
    expect(db.prepare("select count(*) as n from invoices").get()).toEqual({ n: 1 });
  });

  it("without a key it compares with what was there before", async () => {
    const { db, query } = shop();
    const all = "select id, customer from invoices where customer = ?";
    const found = { where: { "/id": { after: "{{baseline.watermark}}" } }, ref: "/id" };
    const reconcile = sqlProbe({ query, sql: all, values: ["acme"], found, baseline: { watermark: "/id" }, settle: 1 });
    const { guard } = guardOf({ tools: { create_invoice: { identityArgs: ["/order"], reconcile } } });
    const wire = wireOf(() => {
      db.exec("insert into invoices (customer) values ('acme')");
      return LOST;
    });
    expect(await guard.perform(callOf(), wire)).toMatchObject({ kind: "applied", ref: "2" });
  });

  it.each([
    ["a place in the text", "select * from t where r = '{{key}}'", "Bind it"],
    ["two statements", "select 1; drop table t", "several statements"],
    ["a statement that writes", "delete from t where r = ?", "does not begin with select"],
    ["a writing part", "with x as (delete from t returning *) select * from x", "a word that writes"],
  ])("%s is refused at start", (_what, text, told) => {
    expect(() => sqlProbe({ query: () => [], sql: text })).toThrow(told);
  });

  it("words inside quotes and comments are no statement", () => {
    const harmless = "select 'a; delete' as x /* drop; */ from t where y = 'insert' -- update";
    expect(() => sqlProbe({ query: () => [], sql: harmless })).not.toThrow();
  });

  it("{{key}} without a placed key is refused", () => {
    const reconcile = sqlProbe({ query: () => [], sql, values: ["{{key}}"], found: { filtered: true }, settle: 1 });
    expect(() => guardOf({ tools: { create_invoice: { identityArgs: ["/order"], reconcile } } })).toThrow(
      "no key is placed",
    );
  });
});

async function service(
  answer: (url: URL, auth: string | undefined) => { status?: number; body?: unknown; location?: string },
) {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://x");
    asked.push(url);
    const { status = 200, body = {}, location } = answer(url, request.headers.authorization);
    response.writeHead(status, { "content-type": "application/json", ...(location && { location }) });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("a probe over HTTP", () => {
  const marker = { argument: "/idempotency_key" };
  const found = { at: "/data", where: { "/reference": "{{key}}" }, ref: "/id" };
  const through = async (reconcile: ReturnType<typeof httpProbe>, order = "o-1") => {
    const { guard, events } = guardOf({ tools: { create_invoice: { identityArgs: ["/order"], marker, reconcile } } });
    const outcome = await guard.perform({ ...callOf({ order }), deadline: 1_500 }, wireOf(LOST));
    return { outcome, events };
  };

  it("asks with credentials of its own, and finds by the key", async () => {
    const { asked, url } = await service((target, auth) =>
      auth === "Bearer read-only"
        ? { body: { data: [{ id: 9, reference: target.searchParams.get("reference") }] } }
        : { status: 401 },
    );
    const headers = () => ({ authorization: "Bearer read-only" });
    const probe = httpProbe({ url: `${url}/invoices`, query: { reference: "{{key}}" }, headers, found, settle: 1 });
    expect((await through(probe)).outcome).toMatchObject({ kind: "applied", ref: "9" });
    expect(asked[0]?.searchParams.get("reference")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("keeps a filled-in part inside its part of the path", async () => {
    const { asked, url } = await service(() => ({ body: null }));
    const rules = { where: { "/reference": "{{key}}" } };
    await through(
      httpProbe({ url: `${url}/orders/{{arguments/order}}/invoice`, found: rules, settle: 1 }),
      "../../admin?x=1",
    );
    expect(asked[0]?.pathname).toBe("/orders/..%2F..%2Fadmin%3Fx%3D1/invoice");
  });

  it.each<[what: string, answer: { status?: number; location?: string; body?: unknown }]>([
    ["an error", { status: 500 }],
    ["a missing right", { status: 403 }],
    ["not found, which nobody declared to mean absent", { status: 404 }],
    ["a redirect, which may lead to another account", { status: 302, location: "/login" }],
  ])("%s is unclear, never an absence", async (_what, answer) => {
    const { url } = await service(() => answer);
    const limits = { settle: 1, staleness: 1, absentReads: 1, maxProbes: 1 } as const;
    const { outcome } = await through(httpProbe({ url, found, ...limits }));
    expect(outcome.kind).toBe("uncertain");
    expect(outcome).not.toMatchObject({ reason: "observed_absent" });
  });

  it("a declared 404 is an absence", async () => {
    const { url } = await service(() => ({ status: 404 }));
    const { look } = httpProbe({ url, found, absentStatuses: [404] });
    const intent = { key: "k", arguments: {} } as never;
    expect(await look(intent, { signal: new AbortController().signal } as never)).toEqual({ kind: "absent" });
  });

  it.each(["{{arguments/host}}/x", "https://{{arguments/host}}/x", "ftp://x.example", "no address"])(
    "%s is refused: a caller never says which host is asked",
    (url) => {
      expect(() => httpProbe({ url, found })).toThrow("httpProbe: url");
    },
  );
});

it("a probe by tool is what the configuration says", () => {
  const rules = { tool: "find", found: { where: { "/r": "{{key}}" } } };
  expect(toolProbe(rules)).toBe(rules);
  expect(() =>
    guardOf({ tools: { create_invoice: { identityArgs: ["/order"], reconcile: toolProbe(rules) } } }),
  ).toThrow(`servers.${SERVER}.tools.create_invoice.reconcile.tool: "find" is not declared a read`);
});
