/** What every route has at hand. */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import type { Queue } from "../../../src/entries/queue.ts";
import type { Counts } from "./counts.ts";
import type { Live } from "./live.ts";
import type { Settings } from "./options.ts";
import type { RateLimit } from "./security/rate-limit.ts";
import type { Session, Sessions } from "./security/sessions.ts";
import { type Frame, page, type Sheet, type Theme } from "./views/frame.ts";
import { amount } from "./words.ts";

export interface Desk {
  readonly settings: Settings;
  readonly queue: Queue;
  readonly sessions: Sessions;
  readonly limit: RateLimit;
  readonly counts: Counts;
  readonly live: Live;
  /** Differs per port: browsers send a cookie to every port of a host. */
  readonly cookieName: string;
}

export interface Env {
  Bindings: HttpBindings;
  Variables: { session?: Session };
}
export type Ask = Context<Env>;

export function frameOf(desk: Desk, c: Ask): Frame {
  const { readOnly, label } = desk.settings;
  const waiting = desk.counts.known();
  return {
    session: c.get("session"),
    readOnly,
    label,
    theme: themeOf(c),
    ...(waiting && { waiting: amount(waiting.waiting, waiting.more.waiting) }),
  };
}

/** Set by the script: the page arrives in the colours that were chosen. */
function themeOf(c: Ask): Theme {
  const theme = getCookie(c, "indoubt_theme");
  return theme === "light" || theme === "dark" ? theme : "auto";
}

export const show = (desk: Desk, c: Ask, sheet: Sheet, status: 200 | 400 | 401 | 409 | 422 | 503 = 200) =>
  c.html(page(frameOf(desk, c), sheet), status);

/** For decisions: who is on the record. The gate has seen to it that somebody is signed in. */
export function actorOf(c: Ask): string {
  const session = c.get("session");
  if (!session) throw new Error("A decision came past the gate.");
  return session.name;
}
