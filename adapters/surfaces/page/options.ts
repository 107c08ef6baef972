/** What the page can be told, checked before a port is opened. */
import { userInfo } from "node:os";
import { itemLinkProblem } from "../../../src/entries/queue.ts";
import type { Guard } from "../../../src/index.ts";
import { invalid } from "./complaint.ts";
import { isLoopback, isUnspecified } from "./security/hosts.ts";
import { checkTokens, type SignInToken } from "./security/tokens.ts";

export interface PageOptions {
  /** Whose queue is shown. The page never closes it. */
  readonly guard: Pick<Guard, "queue">;
  /**
   * The address to listen on. Any other than a loopback address needs `tokens`.
   * @default "127.0.0.1"
   * @example "0.0.0.0"
   */
  readonly host?: string;
  /** 0 takes a free port. @default 4747 */
  readonly port?: number;
  /**
   * Who may sign in, and as what. Without it a one-time token is made at the start and stands in `page.url`.
   * @default none
   * @example [{ name: "on-call", role: "operator", token: process.env.INDOUBT_TOKEN_ON_CALL }]
   */
  readonly tokens?: readonly SignInToken[];
  /** Nobody can decide anything, operators included. @default false */
  readonly readOnly?: boolean;
  /**
   * A link from each item to a page of your own. `{id}`, `{server}`, `{tool}`, `{key}` and `{ref}` are filled in.
   * @default none
   * @example "https://grafana.example.com/explore?operation={id}"
   */
  readonly urlTemplate?: string;
  /**
   * Where people reach the page, if that is not the address it listens on: behind a reverse proxy. With https the
   * session's cookie is marked Secure.
   * @default the address it listens on
   * @example "https://queue.example.com"
   */
  readonly publicUrl?: string;
  /** The name on the record for decisions of whoever used the one-time token. @default the system user */
  readonly operator?: string;
  /** A word beside the name of the page, so that nobody takes one queue for another. @default none @example "production" */
  readonly label?: string;
  /** A session ends this many ms after the sign-in. @default 28_800_000 */
  readonly sessionFor?: number;
  /** A one-time token can be used for this many ms. @default 900_000 */
  readonly oneTimeFor?: number;
  /** How often an open page looks for changes, in ms. @default 1_000 */
  readonly everyMs?: number;
}

export interface Settings extends Required<Omit<PageOptions, "urlTemplate" | "publicUrl" | "label" | "tokens">> {
  readonly tokens: readonly SignInToken[];
  readonly urlTemplate: string | undefined;
  readonly publicUrl: URL | undefined;
  readonly label: string | undefined;
}

const LONGEST_LABEL = 40;

/** @throws IndoubtError CONFIG_INVALID with the path of the option and the cure */
export function settingsOf(options: PageOptions): Settings {
  const { host = "127.0.0.1", tokens = [], port = 4747 } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw invalid("port", "use a number from 0 to 65535");
  checkTokens(tokens);
  if (!isLoopback(host) && tokens.length === 0)
    throw invalid("host", `${host} can be reached from other machines: configure sign-in tokens, or use 127.0.0.1`);
  const publicUrl = options.publicUrl === undefined ? undefined : publicUrlOf(options.publicUrl);
  if (publicUrl && !isLoopback(publicUrl.hostname) && tokens.length === 0)
    throw invalid("publicUrl", "other people reach the page there: configure sign-in tokens");
  if (isUnspecified(host) && !publicUrl)
    throw invalid("publicUrl", `${host} has no name of its own: say under which URL people reach the page`);
  const problem = options.urlTemplate === undefined ? undefined : itemLinkProblem(options.urlTemplate);
  if (problem !== undefined) throw invalid("urlTemplate", problem);
  return {
    guard: options.guard,
    host,
    port,
    tokens,
    readOnly: options.readOnly ?? false,
    urlTemplate: options.urlTemplate,
    publicUrl,
    operator: name("operator", options.operator ?? systemUser()),
    label: options.label?.slice(0, LONGEST_LABEL),
    sessionFor: positive("sessionFor", options.sessionFor ?? 28_800_000),
    oneTimeFor: positive("oneTimeFor", options.oneTimeFor ?? 900_000),
    everyMs: positive("everyMs", options.everyMs ?? 1_000),
  };
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container whose user has no name.
    return process.env.USER || `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

function publicUrlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && ["http:", "https:"].includes(url.protocol) && url.pathname === "/" && !url.search && !url.hash;
  if (!plain) throw invalid("publicUrl", `"${text}" must be http(s)://host[:port], without a path`);
  return url;
}

function positive(path: string, ms: number): number {
  if (!Number.isFinite(ms) || ms <= 0) throw invalid(path, "use a number of ms above 0");
  return ms;
}

function name(path: string, text: string): string {
  if (text.trim() === "") throw invalid(path, "a decision needs a name on the record");
  return text;
}
