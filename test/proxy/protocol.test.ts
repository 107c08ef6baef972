/** Progress, questions, rounds and cancellations go through, for guarded calls and for everything else. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { echoCommand } from "./raw-host.ts";
import { CLIENTS, folder, INVOICE, markOf, PAIRINGS, proxied, proxyCommand, startHttpProxy } from "./support.ts";

describe.each(PAIRINGS)("%s", (pairing) => {
  test.each(CLIENTS)("W1-01 progress reaches the host while the call is guarded (%s)", async (client) => {
    const given = await proxied({
      pairing,
      client,
      answers: "sse",
      script: { create_invoice: [{ reply: { progress: { every: 60, for: 400 } } }] },
    });
    const seen: unknown[] = [];
    const result = await given.call("create_invoice", INVOICE, { onprogress: (progress) => seen.push(progress) });

    expect(result).toMatchObject({ structuredContent: { id: "inv_1" } });
    expect(seen.length).toBeGreaterThan(1);
    expect(given.effects()).toBe(1);
  });

  test.each(["v1", "v2"] as const)(
    "W1-07 a question of the server is asked and answered inside the call (%s)",
    async (client) => {
      const given = await proxied({
        pairing,
        client,
        answers: "sse",
        script: { create_invoice: [{ reply: { elicitation: 5_000 } }] },
      });
      const result = await given.call("create_invoice", INVOICE);

      expect(result).toMatchObject({ structuredContent: { id: "inv_1" } });
      expect(given.effects()).toBe(1);
    },
  );

  test("W1-08 a call that goes on in rounds is one operation, and its second round is no repeat", async () => {
    const given = await proxied({
      pairing,
      client: "v2 2026",
      script: { create_invoice: [{ reply: { input_required: "state-1" } }] },
    });
    const result = await given.call("create_invoice", INVOICE);

    expect(result.isError).not.toBe(true);
    expect(markOf(result)).toEqual({});
    expect(given.effects()).toBe(1);
    expect(given.server.log.arrivals("create_invoice")).toHaveLength(2);
  });

  test("T4-08 a declared read passes, and an error of the server keeps its code", async () => {
    const given = await proxied({
      pairing,
      tools: { find_invoice: { effect: "read" } },
      script: { send_email: [{ commit: "none", reply: { rpcError: { code: -32602, message: "no such address" } } }] },
    });
    const found = await given.call("find_invoice", { customer: "acme" });

    expect(found.isError).not.toBe(true);
    await expect(given.call("send_email", { to: "a", subject: "b", body: "c" })).rejects.toMatchObject({
      code: -32602,
    });
    expect(given.effects()).toBe(0);
  });
});

test("T3-03 a call that arrives again under a new id and session, while the first is in doubt, is answered from the record", async () => {
  const given = await proxied({
    pairing: "http to http",
    script: { create_invoice: [{ reply: "reset" }, { reply: "ok" }] },
  });
  const first = await given.call("create_invoice", INVOICE);
  const host = await given.again({ client: "v2 2026" });
  const again = await host.call("create_invoice", INVOICE);

  expect(markOf(first).kind).toBe("uncertain");
  expect(markOf(again).heldBy).toBe(markOf(first).operation);
  expect(given.effects()).toBe(1);
});

test("T5-04 T5-08 what a gateway says after the call went through it is doubt, and its page reaches nobody", async () => {
  const given = await proxied({
    pairing: "http to http",
    script: {
      create_invoice: [{ reply: { html: 524 } }],
      send_email: [{ reply: { status: 429, when: "after" } }],
    },
  });
  const page = await given.call("create_invoice", INVOICE);
  const limited = await given.call("send_email", { to: "a", subject: "b", body: "c" });

  expect(markOf(page).kind).toBe("uncertain");
  expect(markOf(limited).kind).toBe("uncertain");
  expect(JSON.stringify(page)).not.toMatch(/<html/i);
  expect(given.effects()).toBe(2);
});

test("T4-03 a server that refuses connections has done nothing: the host may call again", async () => {
  const given = await proxied({ pairing: "stdio to http" });
  await given.server.crash?.();
  const first = await given.call("create_invoice", INVOICE);
  await given.server.restart?.();
  await given.client.listTools();
  const again = await given.call("create_invoice", INVOICE);

  expect(markOf(first).kind).toBe("not_applied");
  expect(again).toMatchObject({ structuredContent: { id: "inv_1" } });
  expect(given.effects()).toBe(1);
});

test("a thousand calls in flight are each answered once, by their own answer", { timeout: 60_000 }, async () => {
  const { target } = echoCommand();
  const { command, args } = proxyCommand({ store: join(folder(), "record.db"), target, http: false });
  const host = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void host.kill("SIGKILL"));
  const ids = new Set<number>();
  const done = new Promise<void>((resolve) => {
    createInterface({ input: host.stdout }).on("line", (line) => {
      const { id, result } = JSON.parse(line) as { id: number; result: { isError?: boolean } };
      if (result.isError !== true && !ids.has(id)) ids.add(id);
      if (ids.size === 1_000) resolve();
    });
  });
  for (let id = 1; id <= 1_000; id++) {
    const params = { name: "write", arguments: { n: id } };
    host.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
  }
  await done;

  expect(ids.size).toBe(1_000);
});

test("over HTTP, bodies, headers and statuses of everything but guarded calls pass unchanged", async () => {
  const body = '{"jsonrpc":"2.0","id":1 , "result":{"big":12345678901234567890,"u":"\\u00e9","dup":1,"dup":2}}';
  const seen: { body: string; headers: Record<string, unknown>; path: string }[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    seen.push({ body: text, headers: request.headers, path: request.url ?? "" });
    response.writeHead(request.url === "/mcp" ? 200 : 418, {
      "content-type": "application/json",
      "mcp-session-id": "s-1",
      "x-own": "kept",
      "set-cookie": ["a=1", "b=2"],
    });
    response.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const proxy = await startHttpProxy({ store: join(folder(), "record.db"), http: true, target: { url } });
  const sent =
    ' {"jsonrpc":"2.0", "id":1,"method":"resources/read","params":{"uri":"a","big":12345678901234567890,"dup":1,"dup":2}}\n';
  const headers = {
    "content-type": "application/json",
    authorization: "Bearer t",
    "mcp-session-id": "s-1",
    "x-mine": "1",
  };
  const answer = await fetch(proxy.url, { method: "POST", body: sent, headers });
  const call =
    ' {"jsonrpc":"2.0","id":1, "method":"tools/call","params":{"name":"write","arguments":{"big":12345678901234567890}}}';
  await fetch(proxy.url, { method: "POST", body: call, headers });
  const other = await fetch(new URL("/.well-known/oauth-protected-resource?x=1", proxy.url), { headers });

  expect(await answer.text()).toBe(body);
  expect(answer.headers.get("x-own")).toBe("kept");
  expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(seen.map((request) => request.body)).toEqual([sent, call, ""]);
  for (const request of seen) expect(request.headers).toMatchObject({ authorization: "Bearer t", "x-mine": "1" });
  expect(other.status).toBe(418);
  expect(seen[2]?.path).toBe("/.well-known/oauth-protected-resource?x=1");
});
