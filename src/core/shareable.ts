/**
 * Where a server is reached, as it may stand in files that are shared (lock, card) and on screens: what signs in is
 * taken out. Doing it twice changes nothing, so that what was kept can be compared with what is there.
 */
import { createHash } from "node:crypto";

/** Origin and path: a query, a fragment or a sign-in names no other server. */
export function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.length > 1 ? pathname.replace(/\/$/, "") : ""}`;
}

/** The same; a part of the path that looks like a secret stands there as a digest: another one is still another server. */
export function sharedAddress(url: string): string {
  return addressOf(url)
    .split("/")
    .map((part, index) => (index > 2 && looksSecret(part) ? `~${digestOf(part)}` : part))
    .join("/");
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** Long, and of letters and digits mixed: nobody has typed it. */
const looksSecret = (part: string): boolean =>
  TOKEN.test(part) || (/^[\w.~-]{20,}$/.test(part) && /\d/.test(part) && /[a-z]/i.test(part));

const NAMES =
  "token|secret|passw(?:or)?d|passphrase|pwd|api[-_]?key|[-_]key|credentials?|auth(?:orization)?|bearer|cookie|account[-_]?key|access[-_]?key|signature";
const SECRET_FLAG = new RegExp(`(?:${NAMES}|^--?key)$`, "i");
/** The forms of well-known services, and of signed tokens. */
const TOKEN =
  /^(?:(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|npm|pypi|hf|whsec|lin_api)[-_][\w-]{12,}|AKIA\w{12,}|AIza[\w-]{20,}|ya29\.[\w-]{12,}|eyJ[\w-]+\.[\w.-]{12,})$/;
const IN_ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/)[^/\s@]*@/i;
const IN_QUERY = new RegExp(`([?&;][^=&;\\s]*(?:${NAMES}|\\bkey)=)[^&#;\\s]+`, "gi");
const IN_PAIRS = /((?:password|pwd|account ?key|shared ?access ?key)\s*=\s*)[^;\s]+/gi;
const HEADER = new RegExp(`^([\\w-]*(?:${NAMES})\\s*:\\s*)\\S.*$`, "is");

/** A token on a command line makes no other server, and must not stand in a file that is shared. */
export function withoutSecrets(args: readonly string[]): readonly string[] {
  return args.map((arg, index) => {
    const [flag = "", ...value] = arg.split("=");
    if (value.length > 0 && SECRET_FLAG.test(flag)) return `${flag}=[redacted]`;
    if (value.length > 0 && flag.startsWith("-")) return `${flag}=${withoutSecret(value.join("="))}`;
    const isValue = index > 0 && SECRET_FLAG.test(args[index - 1] ?? "") && /^-/.test(args[index - 1] ?? "");
    return isValue && !arg.startsWith("-") ? "[redacted]" : withoutSecret(arg);
  });
}

const withoutSecret = (text: string): string =>
  TOKEN.test(text)
    ? "[redacted]"
    : text
        .replace(IN_ADDRESS, "$1[redacted]@")
        .replace(IN_QUERY, "$1[redacted]")
        .replace(IN_PAIRS, "$1[redacted]")
        .replace(HEADER, "$1[redacted]");
