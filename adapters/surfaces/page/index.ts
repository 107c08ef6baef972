/** The queue as a web page. */
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { pageApp } from "./app.ts";
import { invalid } from "./complaint.ts";
import type { Desk } from "./context.ts";
import { countsOf } from "./counts.ts";
import { liveLooks } from "./live.ts";
import { type PageOptions, type Settings, settingsOf } from "./options.ts";
import { allowedHosts, inUrl, isLoopback, isUnspecified } from "./security/hosts.ts";
import { rateLimit } from "./security/rate-limit.ts";
import { sessionTable } from "./security/sessions.ts";

export type { PageOptions } from "./options.ts";
export type { Role, SignInToken } from "./security/tokens.ts";
export { type NewToken, newSignInToken, tokensFromJson, tokensFromText } from "./token-sources.ts";

export interface Page {
  /** To be opened in a browser. Without configured tokens it holds the one-time token: print it only for the operator. */
  readonly url: string;
  /** Where the page is, without any token. */
  readonly origin: string;
  /** The port it listens on: the one that was asked for, or the free one that was taken. */
  readonly port: number;
  /** What this set-up does not protect against, each with its cure. */
  readonly warnings: readonly string[];
  /** A link that signs one browser in, once. @throws IndoubtError CONFIG_INVALID where people have tokens of their own */
  invite(): string;
  /** Ends open pages and the port. The guard stays open. */
  close(): Promise<void>;
}

/**
 * Serves the queue of a guard as a page.
 * @throws IndoubtError CONFIG_INVALID when an option cannot be used, or the port is taken
 * @example
 * const page = await startPage({ guard, urlTemplate: "https://grafana.example.com/explore?operation={id}" });
 * console.log(page.url); // http://127.0.0.1:4747/sign-in?token=…
 */
export async function startPage(options: PageOptions): Promise<Page> {
  const settings = settingsOf(options);
  let app: ReturnType<typeof pageApp> | undefined;
  const server = createAdaptorServer({
    fetch: (request, env) => app?.fetch(request, env) ?? new Response(null, { status: 503 }),
    hostname: settings.host,
    overrideGlobalObjects: false,
    serverOptions: { maxHeaderSize: 16 * 1024, requestTimeout: 30_000, headersTimeout: 10_000 },
  });
  const port = await listen(server, settings);
  const desk = deskOf(settings, port);
  app = pageApp(desk, allowedHosts(settings.host, port, settings.publicUrl));
  const origin = settings.publicUrl?.origin ?? `http://${inUrl(settings.host)}:${port}`;
  const invite = (): string => {
    if (settings.tokens.length > 0) throw invalid("tokens", "people sign in with their own tokens");
    return `${origin}/sign-in?token=${desk.sessions.invite({ name: settings.operator, role: "operator" })}`;
  };
  return {
    url: settings.tokens.length > 0 ? `${origin}/` : invite(),
    origin,
    port,
    warnings: warningsOf(settings),
    invite,
    async close() {
      desk.live.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}

function deskOf(settings: Settings, port: number): Desk {
  const { queue } = settings.guard;
  return {
    settings,
    queue,
    sessions: sessionTable(settings.sessionFor, settings.oneTimeFor),
    limit: rateLimit(),
    counts: countsOf(queue),
    live: liveLooks(settings.everyMs),
    cookieName: `indoubt_${port}`,
  };
}

function listen(server: ReturnType<typeof createAdaptorServer>, { host, port }: Settings): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const cure = error.code === "EADDRINUSE" ? `${port} is taken: choose another, or 0 for any` : error.message;
      reject(invalid("port", cure));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function warningsOf({ host, publicUrl, tokens }: Settings): string[] {
  if (isLoopback(host) && !publicUrl) return [];
  const plain = publicUrl?.protocol !== "https:";
  return [
    ...(plain
      ? [
          "Sign-in tokens and everything shown travel unencrypted: put TLS in front, and set publicUrl to its https address.",
        ]
      : []),
    ...(isUnspecified(host) ? [`The page listens on every network of this machine (${host}).`] : []),
    ...(tokens.length === 0 ? ["Whoever has the one-time link is an operator."] : []),
  ];
}
