/** A server of the older HTTP+SSE transport. */
import { expect, test } from "vitest";
import { ask, callOf, events, httpProxy, INITIALIZE, json, lineHost, webServer } from "./support.ts";

const oldServer = () =>
  webServer((_body, request, response) => {
    if (request.method === "GET") events(response).write("event: endpoint\ndata: /messages?session=1\n\n");
    else json(response, '{"error":"no"}', 405);
  }, "/sse");

test("a server of the older HTTP+SSE transport is named as such, and no call is let through, for hosts on pipes", async () => {
  const server = await oldServer();
  const host = lineHost({ url: server.url });
  host.say(INITIALIZE);
  await host.until(/"id":0,.*-32000.*older HTTP\+SSE transport/);
  host.say(callOf(1));
  await host.until(/"id":1,/);

  expect(host.said()).toMatch(/older HTTP\+SSE transport.*--url/);
});

test("a server of the older HTTP+SSE transport is named as such, and no call is let through, for hosts over HTTP", async () => {
  const server = await oldServer();
  const proxy = await httpProxy({ url: server.url });

  await expect(ask(proxy.url, "", { method: "GET" })).rejects.toThrow();
  expect(proxy.said()).toMatch(/older HTTP\+SSE transport.*--url/);
});
