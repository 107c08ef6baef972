/** A server of the older HTTP+SSE transport, and hosts that read slowly. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../support.ts";
import {
  ask,
  callOf,
  events,
  eventually,
  httpProxy,
  INITIALIZE,
  json,
  lineHost,
  lineServer,
  webServer,
} from "./support.ts";

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

test("a stdio server waits for a host over HTTP that reads slowly, and nothing piles up between them", async () => {
  const file = join(folder(), "written.txt");
  const server = lineServer(
    `if (method === "custom/flood") {
       const line = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"' + "x".repeat(60000) + '"}}\\n';
       const write = (n) => {
         while (n < 2000 && process.stdout.write(line)) n++;
         fs.writeFileSync(${JSON.stringify(file)}, String(n));
         if (n < 2000) process.stdout.once("drain", () => write(n + 1));
         else raw('{"jsonrpc":"2.0","id":' + id + ',"result":{}}');
       };
       write(0);
     }`,
  );
  const proxy = await httpProxy(server.target);
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const opened = await fetch(proxy.url, { method: "POST", headers, body: INITIALIZE });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await opened.text();
  const body = '{"jsonrpc":"2.0","id":5,"method":"custom/flood"}';
  const flood = await fetch(proxy.url, { method: "POST", headers: { ...headers, ...session }, body });
  const written = () => (existsSync(file) ? Number(readFileSync(file, "utf8")) : -1);
  let before = -1;
  await eventually(
    async () => {
      const now = written();
      const stands = now > 0 && now === before;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return stands;
    },
    () => `${before} lines`,
  );
  const inBetween = written();
  const text = await flood.text();

  expect(inBetween).toBeLessThan(2000);
  expect(text.match(/notifications\/message/g)).toHaveLength(2000);
  expect(text).toContain('"id":5,"result"');
});
