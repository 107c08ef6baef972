/** What every request has to pass: our name, our own forms, somebody signed in, and the right to change something. */

import type { MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import type { Ask, Desk, Env } from "../context.ts";
import { refuse } from "../problems.ts";
import { fits } from "./sessions.ts";

/** Another site may point its name at this machine: such a name is not ours. */
export const ourName =
  (hosts: ReadonlySet<string>): MiddlewareHandler<Env> =>
  async (c, next) => {
    const host = c.req.header("host")?.toLowerCase() ?? "";
    if (!hosts.has(host)) throw refuse(421, `This page is reached as ${[...hosts].join(" or ")}.`);
    if (!["GET", "HEAD", "POST"].includes(c.req.method)) throw refuse(405, "Use GET or POST.");
    await next();
  };

/** A form that another site shows must not be sent here, whatever cookies the browser adds. */
export const ourForms =
  (hosts: ReadonlySet<string>, publicUrl: URL | undefined): MiddlewareHandler<Env> =>
  async (c, next) => {
    if (c.req.method === "POST") {
      const origin = c.req.header("origin") ?? "";
      const ours = origin === publicUrl?.origin || (origin.startsWith("http://") && hosts.has(origin.slice(7)));
      const from = c.req.header("sec-fetch-site");
      if (!ours || (from !== undefined && from !== "same-origin"))
        throw refuse(403, "This form came from another site.");
    }
    await next();
  };

export const withSession =
  ({ sessions, cookieName }: Desk): MiddlewareHandler<Env> =>
  async (c, next) => {
    const session = sessions.find(getCookie(c, cookieName));
    if (session) c.set("session", session);
    await next();
  };

/** A changed thing needs the token of the session, and a role that may change things. */
export function mayChange(desk: Desk, c: Ask, csrf: string): void {
  const session = c.get("session");
  if (!session || !fits(session, csrf)) throw refuse(403, "This form belongs to another session. Load the page again.");
  if (desk.settings.readOnly) throw refuse(403, "This page is read-only.");
  if (session.role !== "operator") throw refuse(403, "You are signed in as a viewer: an operator decides.");
}
