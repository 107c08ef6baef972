/** Who gets in: the one-time link, tokens of one's own, the end of a session. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { startPage } from "../../adapters/surfaces/page/index.ts";
import { visitor } from "./support/visitor.ts";
import { world } from "./support/world.ts";

const ON_CALL = "the token on call, long enough";
const SUPPORT = "the support token, long enough";
const digest = `sha256:${createHash("sha256").update(SUPPORT).digest("hex")}`;
const tokens = [
  { name: "on-call", role: "operator", token: ON_CALL },
  { name: "support", role: "viewer", token: digest },
] as const;

test("the one-time link signs in once, leaves the address, and the cookie is kept from scripts and other sites", async () => {
  const { page } = await world();
  const first = visitor(page);
  const entered = await first.signIn();
  expect(entered.status).toBe(303);
  expect(entered.headers.location).toBe("/");
  const [cookie = ""] = entered.headers["set-cookie"] ?? [];
  expect(cookie).toMatch(/^indoubt_\d+=[\w-]{43}; .*HttpOnly/);
  expect(cookie).toContain("SameSite=Strict");
  expect((await first.get("/")).status).toBe(200);

  const second = visitor(page);
  const again = await second.signIn();
  expect(again.status).toBe(401);
  expect(again.text).toContain("was used before");
  expect(second.cookie).toBeUndefined();
});

test("a one-time link and a session end after their time", async () => {
  const { page } = await world({ page: { oneTimeFor: 150, sessionFor: 300 } });
  const late = page.invite();
  const someone = visitor(page);
  await someone.signIn();
  expect((await someone.get("/")).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 350));
  expect((await visitor(page).signIn(late)).status).toBe(401);
  const ended = await someone.get("/items/x?decision=1");
  expect(ended.status).toBe(303);
  expect(ended.headers.location).toBe(`/sign-in?return=${encodeURIComponent("/items/x?decision=1")}`);
  expect((await someone.get("/live/list")).status).toBe(401);
});

test("a decision that comes after the session has ended changes nothing and shows what was typed", async () => {
  const { page, guard, waiting } = await world({ page: { sessionFor: 1_500 } });
  const id = await waiting("charge_card");
  const someone = visitor(page);
  await someone.signIn();
  const fields = { csrf: await someone.csrf(), verdict: "applied", version: "3", reason: "found <it> in the ledger" };
  await new Promise((resolve) => setTimeout(resolve, 1_600));
  const late = await someone.post(`/items/${id}/resolve`, fields);
  expect(late.status).toBe(401);
  expect(late.text).toContain("found &lt;it&gt; in the ledger");
  expect(late.text).toContain(`value="/items/${id}"`);
  expect((await guard.queue.show(id)).state).toBe("unresolved");
});

test("tokens of one's own: the right one signs in with its name and role, as itself or by its digest", async () => {
  const { page } = await world({ page: { tokens } });
  expect(page.url).toBe(`${page.origin}/`);
  const viewer = visitor(page);
  const entered = await viewer.post("/sign-in", { token: SUPPORT, return: "/audit" });
  expect([entered.status, entered.headers.location]).toEqual([303, "/audit"]);
  expect((await viewer.get("/no")).text).toMatch(/support <span class="role">viewer/);
  const wrong = await visitor(page).post("/sign-in", { token: digest });
  expect(wrong.status).toBe(401);
  expect(wrong.text).not.toContain(digest);
  expect(() => page.invite()).toThrow("their own tokens");
});

test("after ten wrong tokens an address waits, the right token too", async () => {
  const { page } = await world({ page: { tokens } });
  const guesser = visitor(page);
  for (let guess = 0; guess < 10; guess++) {
    expect((await guesser.post("/sign-in", { token: `guess number ${guess}` })).status).toBe(401);
  }
  const refused = await guesser.post("/sign-in", { token: ON_CALL });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
});

test("the way back leads nowhere but into the page", async () => {
  const { page } = await world({ page: { tokens } });
  for (const elsewhere of [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "/sign-in?token=x",
  ]) {
    const { headers } = await visitor(page).post("/sign-in", { token: ON_CALL, return: elsewhere });
    expect(headers.location, elsewhere).toBe("/");
  }
});

test("signing out ends the session for everyone who has the cookie", async () => {
  const { page } = await world();
  const someone = visitor(page);
  await someone.signIn();
  const stolen = visitor(page);
  stolen.cookie = someone.cookie;
  expect((await someone.post("/sign-out")).status).toBe(303);
  expect((await stolen.get("/")).status).toBe(303);
});

test("a bind that others can reach needs tokens and a name; nothing is opened without", async () => {
  const { guard } = await world();
  const start = (options: object) => startPage({ guard, port: 0, ...options });
  await expect(start({ host: "0.0.0.0" })).rejects.toThrow("page.host: 0.0.0.0 can be reached from other machines");
  await expect(start({ host: "0.0.0.0", tokens })).rejects.toThrow("page.publicUrl");
  await expect(start({ publicUrl: "https://queue.example.com" })).rejects.toThrow("configure sign-in tokens");
  await expect(start({ publicUrl: "https://queue.example.com/path", tokens })).rejects.toThrow("without a path");
  await expect(start({ tokens: [{ name: "on-call", role: "operator", token: "short" }] })).rejects.toThrow(
    "page.tokens[0].token: it is shorter than 20 characters",
  );
  await expect(start({ tokens: [{ name: "on-call", role: "operator", token: undefined }] })).rejects.toThrow(
    "environment variable",
  );
  await expect(start({ tokens: [{ name: "on-call", role: "admin", token: ON_CALL }] })).rejects.toThrow(
    "page.tokens[0].role",
  );
  await expect(start({ tokens: [tokens[0], { ...tokens[0], name: "finance" }] })).rejects.toThrow("the same token");
  await expect(start({ urlTemplate: "https://{id}.example.com/" })).rejects.toThrow("name of the host");
  await expect(start({ urlTemplate: "javascript:alert({id})" })).rejects.toThrow("http(s) URL");
  await expect(start({ urlTemplate: "https://example.com/{nr}" })).rejects.toThrow("{nr} is none of {id}");
  await expect(start({ port: 70_000 })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    details: { path: "page.port" },
  });
});

test("a taken port is a clear error", async () => {
  const { guard, page } = await world();
  await expect(startPage({ guard, port: page.port })).rejects.toThrow(`page.port: ${page.port} is taken`);
});

test("behind a reverse proxy the cookie is for https only, and plain set-ups are warned about", async () => {
  const proxied = await world({ page: { tokens, publicUrl: "https://queue.example.com" } });
  const someone = visitor(proxied.page);
  const headers = { host: "queue.example.com", origin: "https://queue.example.com" };
  const entered = await someone.post("/sign-in", { token: ON_CALL }, headers);
  expect(entered.headers["set-cookie"]?.[0]).toContain("Secure");
  expect(proxied.page.warnings).toEqual([]);
  const plain = await world({ page: { tokens, publicUrl: "http://queue.example.com" } });
  expect(plain.page.warnings.join()).toContain("unencrypted");
});
