/** The receiver of examples/webhook.ts: checks each post, drops repeats, tells the rest. */
// #region receiver
import { createServer } from "node:http";
import { verifyWebhook } from "../adapters/webhook/index.ts";

const secret = process.env.INDOUBT_WEBHOOK_SECRET ?? ""; // 32 random bytes, the same on both sides.
const seen = new Set<string>();

export const receiver = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const checked = verifyWebhook({ secret, headers: request.headers, body });
  response.writeHead(checked.ok ? 204 : 400).end();
  if (!checked.ok || seen.has(checked.event.id)) return;
  seen.add(checked.event.id);
  const { kind, server, tool, reason, link } = checked.event;
  console.log(`${kind}: ${server}.${tool} (${reason}) ${link}`);
});
// #endregion
