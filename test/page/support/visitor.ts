/** Somebody who speaks HTTP by hand: each header can be what it must not be. */
import { type IncomingHttpHeaders, request } from "node:http";
import type { Page } from "../../../adapters/surfaces/page/index.ts";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export type Fields = Readonly<Record<string, string>>;

export interface Visitor {
  /** The session's cookie, as `name=value`. */
  cookie: string | undefined;
  get(path: string, headers?: Fields): Promise<Reply>;
  /** A form, sent as the page itself would: own origin, the session's token. `headers` win. */
  post(path: string, fields?: Fields, headers?: Fields): Promise<Reply>;
  /** Whatever it takes. */
  send(method: string, path: string, headers: Fields, body?: string): Promise<Reply>;
  /** Opens the page's own link. */
  signIn(url?: string): Promise<Reply>;
  /** The token of the session's forms, from a page that has a form. */
  csrf(): Promise<string>;
}

export function visitor(page: Page): Visitor {
  const send = (method: string, path: string, headers: Fields, body?: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const all = {
        host: `127.0.0.1:${page.port}`,
        ...(self.cookie !== undefined && { cookie: self.cookie }),
        ...headers,
      };
      const asked = request(
        { host: "127.0.0.1", port: page.port, path, method, headers: all, agent: false },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
          });
          answer.on("end", () => {
            const set = answer.headers["set-cookie"]?.find((cookie) => cookie.startsWith("indoubt_"));
            if (set) self.cookie = set.split(";")[0];
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
          });
        },
      );
      asked.on("error", reject);
      asked.end(body);
    });

  const self: Visitor = {
    cookie: undefined,
    send,
    get: (path, headers = {}) => send("GET", path, headers),
    async post(path, fields = {}, headers = {}) {
      const csrf = self.cookie === undefined ? {} : { csrf: await self.csrf() };
      const body = new URLSearchParams({ ...csrf, ...fields }).toString();
      const own = { origin: `http://127.0.0.1:${page.port}`, "content-type": "application/x-www-form-urlencoded" };
      return send("POST", path, { ...own, ...headers }, body);
    },
    signIn: (url = page.url) => send("GET", url.slice(new URL(url).origin.length), {}),
    async csrf() {
      const { text } = await send("GET", "/no-such-page", {});
      return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
    },
  };
  return self;
}
