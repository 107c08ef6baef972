/** All routes behind their gates, in the order in which a request meets them. */
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { serveAssets } from "./assets.ts";
import { type Ask, type Desk, type Env, frameOf, show } from "./context.ts";
import { problemOf, refuse } from "./problems.ts";
import { auditRoute } from "./routes/audit.ts";
import { bulkRoutes } from "./routes/bulk.ts";
import { chartsRoute } from "./routes/charts.ts";
import { itemRoutes } from "./routes/item.ts";
import { listRoute } from "./routes/list.ts";
import { liveRoutes } from "./routes/live.ts";
import { askFirst, signInRoutes } from "./routes/sign-in.ts";
import { ourForms, ourName, withSession } from "./security/gate.ts";
import { securityHeaders } from "./security/headers.ts";
import { page } from "./views/frame.ts";
import { awayBody, problemBody } from "./views/problem-view.ts";

const LARGEST_BODY = 64 * 1024;

export function pageApp(desk: Desk, hosts: ReadonlySet<string>): Hono<Env> {
  const app = new Hono<Env>();
  app.use(securityHeaders, ourName(hosts), withSession(desk), ourForms(hosts, desk.settings.publicUrl));
  app.use(
    bodyLimit({ maxSize: LARGEST_BODY, onError: () => Promise.reject(refuse(413, "A form of this page is smaller.")) }),
  );
  app.use(serveAssets);
  signInRoutes(app, desk);
  app.use(async (c, next) => (c.get("session") ? next() : askFirst(desk, c)));
  listRoute(app, desk);
  itemRoutes(app, desk);
  bulkRoutes(app, desk);
  auditRoute(app, desk);
  chartsRoute(app, desk);
  liveRoutes(app, desk);
  app.notFound(() => Promise.reject(refuse(404, "There is no such page.")));
  app.onError((error, c) => failed(desk, c, error));
  return app;
}

function failed(desk: Desk, c: Ask, error: Error) {
  const { status, message } = problemOf(error);
  if (status === 500) process.emitWarning(`page: ${error.stack ?? error.message}`, "IndoubtWarning");
  if (status === 503) c.header("Retry-After", "5");
  if (c.req.path.startsWith("/live") || c.req.path === "/health") return c.text(message, status);
  if (status === 503) return show(desk, c, { title: "The store is away", body: awayBody() }, 503);
  return c.html(page(frameOf(desk, c), { title: String(status), body: problemBody(status, message) }), status);
}
