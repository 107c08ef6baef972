/** Who is signed in. In memory: after a restart everybody signs in again. */
import { fingerprintOf, type Person, randomToken, sameText } from "./tokens.ts";

export interface Session extends Person {
  /** Stands in each form; a POST without it is somebody else's. */
  readonly csrf: string;
  /** ms on this machine's clock. */
  readonly endsAt: number;
}

export interface Sessions {
  /** @returns the value of the cookie */
  begin(person: Person): string;
  find(cookie: string | undefined): Session | undefined;
  end(cookie: string | undefined): void;
  /** A token that signs one browser in, once. */
  invite(person: Person): string;
  /** The person of an invitation, which is spent by that. */
  accept(token: string): Person | undefined;
}

interface Invitation extends Person {
  readonly endsAt: number;
}

const MOST_SESSIONS = 1_000;

export function sessionTable(sessionFor: number, oneTimeFor: number, now: () => number = Date.now): Sessions {
  const sessions = new Map<string, Session>();
  const invitations = new Map<string, Invitation>();

  return {
    begin({ name, role }) {
      const cookie = randomToken();
      forget(sessions, now());
      sessions.set(fingerprintOf(cookie), { name, role, csrf: randomToken(), endsAt: now() + sessionFor });
      return cookie;
    },
    find(cookie) {
      if (cookie === undefined) return undefined;
      const session = sessions.get(fingerprintOf(cookie));
      return session && session.endsAt > now() ? session : undefined;
    },
    end(cookie) {
      if (cookie !== undefined) sessions.delete(fingerprintOf(cookie));
    },
    invite({ name, role }) {
      const token = randomToken();
      forget(invitations, now());
      invitations.set(fingerprintOf(token), { name, role, endsAt: now() + oneTimeFor });
      return token;
    },
    accept(token) {
      const key = fingerprintOf(token);
      const invitation = invitations.get(key);
      invitations.delete(key);
      return invitation && invitation.endsAt > now() ? invitation : undefined;
    },
  };
}

export const fits = (session: Session, csrf: unknown): boolean =>
  typeof csrf === "string" && sameText(session.csrf, csrf);

/** Drops what has ended, and the oldest beyond the limit. */
function forget(table: Map<string, { readonly endsAt: number }>, now: number): void {
  for (const [key, { endsAt }] of table) {
    if (endsAt <= now || table.size >= MOST_SESSIONS) table.delete(key);
  }
}
