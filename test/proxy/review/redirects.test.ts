/** A host follows a redirect by itself: it must not lead around the proxy. */
import { expect, test } from "vitest";
import { ask, callOf, httpProxy, INITIALIZE, json, resultOf, webServer } from "./support.ts";

test("a redirect within the server, as Python servers send to /mcp/, leads through the proxy", async () => {
  const server = await webServer((_body, request, response) => {
    if (request.url === "/mcp/") json(response, resultOf(1));
    else response.writeHead(307, { location: `http://${request.headers.host}/mcp/` }).end();
  });
  const proxy = await httpProxy({ url: server.url });
  const outcomes: string[] = [];
  proxy.guard.on("outcome", ({ kind }) => void outcomes.push(kind));
  const headers = { "content-type": "application/json", accept: "application/json" };
  const answer = await fetch(proxy.url, { method: "POST", headers, body: callOf(1) });

  expect(answer.url).toBe(`http://127.0.0.1:${proxy.port}/mcp/`);
  expect(await answer.text()).toBe(resultOf(1));
  expect(outcomes).toContain("succeeded");
  expect(server.bodies).toHaveLength(2);
});

test.each([INITIALIZE, callOf(1)])("a redirect to another place is told, not followed: %s", async (body) => {
  const other = await webServer((_body, _request, response) => json(response, resultOf(1)));
  const server = await webServer((_body, _request, response) => {
    response.writeHead(308, { location: `${other.url}?secret=1` }).end();
  });
  const proxy = await httpProxy({ url: server.url });
  const answer = await ask(proxy.url, body, { headers: { authorization: "Bearer mine" } });

  expect(answer.status).toBe(502);
  expect(answer.headers.location).toBeUndefined();
  expect(answer.text).toContain(`moved to ${new URL(other.url).origin}`);
  expect(answer.text).toContain("--url");
  expect(other.bodies).toEqual([]);
  expect(proxy.said()).toContain(new URL(other.url).origin);
});

test("a page that sends a browser to its sign-in passes", async () => {
  const server = await webServer((_body, _request, response) => {
    response.writeHead(302, { location: "https://login.example/start" }).end();
  });
  const proxy = await httpProxy({ url: server.url });
  const answer = await ask(proxy.url.replace("/mcp", "/authorize"), "", { method: "GET" });

  expect([answer.status, answer.headers.location]).toEqual([302, "https://login.example/start"]);
});
