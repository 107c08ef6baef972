/** Sign-in tokens from where operators keep them: a file, or a variable of the environment. */
import { invalid } from "./complaint.ts";
import { fingerprintHex, type Role, randomToken, type SignInToken } from "./security/tokens.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param text JSON: `[{ "name": "on-call", "role": "operator", "token": "sha256:…" }]`, where `token` may also be
 * `{ "env": "NAME" }`
 * @param env where `env` is looked up
 * @throws IndoubtError CONFIG_INVALID with the place
 */
export function tokensFromJson(text: string, env: Environment): SignInToken[] {
  const list = parsed(text);
  if (!Array.isArray(list)) throw invalid("tokens", 'write a list: [{ "name": …, "role": …, "token": … }]');
  return list.map((entry: unknown, index) => {
    const { name, role, token, ...rest } = (typeof entry === "object" && entry !== null ? entry : {}) as Partial<
      Record<keyof SignInToken, unknown>
    >;
    const unknown = Object.keys(rest)[0];
    if (unknown !== undefined)
      throw invalid(`tokens[${index}].${unknown}`, "there is no such field: name, role, token");
    // The page itself checks what each of them is.
    return { name: name as string, role: role as Role, token: tokenOf(token, index, env) as string };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would show a piece of the text, which may be a token.
    throw invalid("tokens", "this is no JSON");
  }
}

function tokenOf(token: unknown, index: number, env: Environment): unknown {
  if (typeof token !== "object" || token === null) return token;
  const { env: variable } = token as { env?: unknown };
  if (typeof variable !== "string") throw invalid(`tokens[${index}].token`, 'write a text or { "env": "NAME" }');
  const value = env[variable];
  if (!value) throw invalid(`tokens[${index}].token`, `the environment variable ${variable} is not set`);
  return value;
}

/**
 * @param text `on-call:operator:TOKEN support:viewer:sha256:…`, separated by spaces, commas or lines
 * @throws IndoubtError CONFIG_INVALID with the place
 */
export function tokensFromText(text: string): SignInToken[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  return entries.map((entry, index) => {
    const [, name, role, token] = /^([^:]+):(viewer|operator):(.+)$/.exec(entry) ?? [];
    if (!name || !role || !token) throw invalid(`tokens[${index}]`, "write name:viewer:token or name:operator:token");
    return { name, role: role as Role, token };
  });
}

export interface NewToken {
  /** To be given to the person; it is shown once. */
  readonly token: string;
  /** To be kept in the list of tokens. */
  readonly entry: SignInToken;
}

/**
 * A token for one person, and the entry of the list that lets it in without holding it.
 * @example
 * const { token, entry } = newSignInToken("on-call", "operator");
 */
export function newSignInToken(name: string, role: Role): NewToken {
  const token = randomToken();
  return { token, entry: { name, role, token: `sha256:${fingerprintHex(token)}` } };
}
