/** Signing in: a one-time link, or a token of one's own. */
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { type Ask, type Desk, type Env, show } from "../context.ts";
import { formOf } from "../form.ts";
import { placeOf } from "../links.ts";
import { refuse } from "../problems.ts";
import { fits } from "../security/sessions.ts";
import { type Person, whoHas } from "../security/tokens.ts";
import { hopBody, type SignInFacts, signInBody } from "../views/sign-in-view.ts";

export function signInRoutes(app: Hono<Env>, desk: Desk): void {
  app.get("/sign-in", (c) => {
    const place = placeOf(c.req.query("return"));
    const token = c.req.query("token");
    // The redirect takes the token out of the address and, by that, out of the history.
    return token === undefined ? ask(desk, c, { place }, 200) : enter(desk, c, token, place);
  });
  app.post("/sign-in", async (c) => {
    const form = await formOf(c);
    return enter(desk, c, form.text("token").trim(), placeOf(form.text("return")));
  });
  app.post("/sign-out", async (c) => {
    const session = c.get("session");
    const form = await formOf(c);
    if (!session || !fits(session, form.text("csrf"))) throw refuse(403, "This form belongs to another session.");
    desk.sessions.end(getCookie(c, desk.cookieName));
    deleteCookie(c, desk.cookieName, { path: "/" });
    return c.redirect("/sign-in", 303);
  });
}

function enter(desk: Desk, c: Ask, token: string, place: string) {
  const address = getConnInfo(c).remote.address ?? "";
  const wait = desk.limit.waitFor(address);
  if (wait > 0) {
    c.header("Retry-After", String(wait));
    throw refuse(429, `Too many sign-ins failed. Wait ${wait} s.`);
  }
  const person = personOf(desk, token);
  if (!person) {
    desk.limit.failed(address);
    return ask(
      desk,
      c,
      { place, problem: "That token is not valid: it is wrong, was used before, or has ended." },
      401,
    );
  }
  const { publicUrl, sessionFor } = desk.settings;
  setCookie(c, desk.cookieName, desk.sessions.begin(person), {
    httpOnly: true,
    sameSite: "Strict",
    path: "/",
    secure: publicUrl?.protocol === "https:",
    maxAge: Math.floor(sessionFor / 1000),
  });
  return c.redirect(place, 303);
}

function personOf({ settings, sessions }: Desk, token: string): Person | undefined {
  return whoHas(settings.tokens, token) ?? sessions.accept(token);
}

function ask(desk: Desk, c: Ask, facts: Omit<SignInFacts, "byToken">, status: 200 | 401) {
  const body = signInBody({ ...facts, byToken: desk.settings.tokens.length > 0 });
  return show(desk, c, { title: "Sign in", body }, status);
}

/** For whoever is not, or no longer, signed in. */
export async function askFirst(desk: Desk, c: Ask) {
  if (c.req.path.startsWith("/live") || c.req.path === "/health") return c.text("Sign in first.", 401);
  const { pathname, search } = new URL(c.req.url);
  const here = placeOf(pathname + search);
  if (c.req.method === "POST") {
    const place = placeOf(c.req.path.replace(/\/(resolve|correct)$/, "").replace(/^\/bulk\/.*$/, "/bulk"));
    const reason = (await formOf(c)).text("reason");
    const problem = "Your session has ended. Nothing was changed.";
    return ask(desk, c, { place, problem, ...(reason !== "" && { typed: reason }) }, 401);
  }
  // A link from elsewhere comes without the cookie, which is bound to this site: one hop from here brings it along.
  if (c.req.header("sec-fetch-site") === "cross-site") {
    c.header("Refresh", `0; url=${here}`);
    return show(desk, c, { title: "One moment", body: hopBody(here) });
  }
  return c.redirect(`/sign-in?return=${encodeURIComponent(here)}`, 303);
}
