/** What every request has to pass, and what every answer carries. */
import { expect, test } from "vitest";
import { type Visitor, visitor } from "./support/visitor.ts";
import { type World, world } from "./support/world.ts";

async function signedIn(given: World): Promise<Visitor> {
  const someone = visitor(given.page);
  await someone.signIn();
  return someone;
}

const decision = { verdict: "abandon", version: "3", reason: "nobody knows" };

test("another site's name for this machine is refused (DNS rebinding)", async () => {
  const { page } = await world();
  const someone = visitor(page);
  for (const host of ["evil.example", `evil.example:${page.port}`, "127.0.0.1", `127.0.0.1:${page.port + 1}`]) {
    expect((await someone.get("/sign-in", { host })).status, host).toBe(421);
  }
  for (const host of [`localhost:${page.port}`, `LOCALHOST:${page.port}`, `127.0.0.1:${page.port}`]) {
    expect((await someone.get("/sign-in", { host })).status, host).toBe(200);
  }
});

test("a form of another site changes nothing, whatever it looks like", async () => {
  const given = await world();
  const id = await given.waiting("charge_card");
  const someone = await signedIn(given);
  const path = `/items/${id}/resolve`;
  const form = "application/x-www-form-urlencoded";
  const refused = async (headers: Record<string, string>, fields: Record<string, string> = {}) =>
    (await someone.post(path, { ...decision, ...fields }, headers)).status;
  expect(await refused({ origin: "https://evil.example" })).toBe(403);
  expect(await refused({ origin: "null" })).toBe(403);
  expect(await refused({ origin: "" })).toBe(403);
  expect(await refused({ origin: `http://127.0.0.1:${given.page.port + 1}` })).toBe(403);
  expect(await refused({ "sec-fetch-site": "cross-site" })).toBe(403);
  expect(await refused({ "sec-fetch-site": "same-site" })).toBe(403);
  expect(await refused({}, { csrf: "guessed" })).toBe(403);
  expect(await refused({}, { csrf: "" })).toBe(403);
  expect(
    (await someone.send("POST", path, { "content-type": form }, new URLSearchParams(decision).toString())).status,
  ).toBe(403);
  expect(await refused({ "content-type": "text/plain" })).toBe(415);
  expect(await refused({ "content-type": "application/json" })).toBe(415);
  const other = await signedInAnother(given);
  expect(await refused({}, { csrf: await other.csrf() })).toBe(403);
  expect((await given.guard.queue.show(id)).state).toBe("unresolved");
});

async function signedInAnother({ page }: World): Promise<Visitor> {
  const other = visitor(page);
  await other.signIn(page.invite());
  return other;
}

test("only GET and POST; a decision by GET is no page; forms have a size", async () => {
  const given = await world();
  const someone = await signedIn(given);
  for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"])
    expect((await someone.send(method, "/", {})).status).toBe(405);
  expect((await someone.get("/items/x/resolve")).status).toBe(404);
  const large = await someone.post("/items/x/resolve", { ...decision, reason: "x".repeat(70_000) });
  expect(large.status).toBe(413);
});

test("every answer carries the policy that forbids foreign and inline code, and is not stored", async () => {
  const given = await world();
  const someone = await signedIn(given);
  const strange = visitor(given.page);
  const replies = await Promise.all([
    someone.get("/"),
    someone.get("/items/none"),
    someone.get("/?nonsense=1"),
    strange.get("/"),
    strange.get("/sign-in"),
    strange.get("/", { host: "evil.example" }),
  ]);
  for (const { headers, text } of replies) {
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["x-frame-options"]).toBe("DENY");
    expect(headers["referrer-policy"]).toBe("same-origin");
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|\sstyle=|javascript:/i);
  }
});

test("style and script come from the page itself and may be kept: their names change with their content", async () => {
  const { page } = await world();
  const someone = visitor(page);
  const { text } = await someone.get("/sign-in");
  const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
  expect(assets).toHaveLength(4);
  for (const path of assets) {
    const { status, headers } = await someone.get(path);
    expect(status).toBe(200);
    expect(headers["cache-control"]).toContain("immutable");
  }
  expect((await someone.get("/assets/../package.json")).status).not.toBe(200);
});

test.each([
  ["read-only", { readOnly: true }, "read-only"],
  ["a viewer", { tokens: [{ name: "support", role: "viewer", token: "the support token, long enough" }] }, "viewer"],
] as const)("%s sees everything and decides nothing", async (_, options, word) => {
  const given = await world({ page: options });
  const id = await given.waiting("charge_card");
  const someone = visitor(given.page);
  if ("tokens" in options) await someone.post("/sign-in", { token: options.tokens[0].token });
  else await someone.signIn();
  const { text } = await someone.get(`/items/${id}`);
  expect(text).toContain(word);
  expect(text).not.toContain("/resolve");
  expect((await someone.get("/")).text).not.toContain('href="/bulk');
  const version = String((await given.guard.queue.show(id)).version);
  const forms = [`/items/${id}/resolve`, `/items/${id}/correct`, "/bulk/preview", "/bulk/confirm"];
  for (const path of forms) {
    const { status } = await someone.post(path, { ...decision, version, to: "applied", confirm: "1" });
    expect(status, path).toBe(403);
  }
  expect((await given.guard.queue.show(id)).state).toBe("unresolved");
});
