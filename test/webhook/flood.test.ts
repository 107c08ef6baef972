/** A receiver that answers with more than anybody wants to hear: what it says is not read. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { webhook } from "../../adapters/webhook/index.ts";
import { createGuard, guardFunction } from "../../src/index.ts";
import { SECRET } from "./receiver.ts";

test("an answer of 500 MB is cut off, counts as taken, and costs no memory", async () => {
  const block = Buffer.alloc(1 << 20);
  let posts = 0;
  let blocks = 0;
  let isCut = false;
  const server = createServer((request, response) => {
    posts += 1;
    request.resume();
    response.writeHead(200, { "content-length": 500 * block.length });
    const pour = () => {
      while (blocks < 500 && !response.destroyed) {
        blocks += 1;
        if (!response.write(block)) return response.once("drain", pour);
      }
      return undefined;
    };
    response.once("close", () => {
      isCut = true;
    });
    pour();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const warnings: unknown[] = [];
  const tools = { charge: { settle: 1, deadline: 100 } };
  const guard = createGuard({ store: memoryStore(), servers: { psp: { tools } }, sweepEvery: "50ms" });
  guard.on("warning", (warning) => warnings.push(warning));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const hook = webhook(guard, { url, secret: SECRET, events: ["queued"] });
  await guard.start();
  const lost = guardFunction(guard, { server: "psp", tool: "charge" }, () => Promise.reject(new Error("lost")));
  await lost({ order: 1 });
  await expect.poll(() => isCut, { timeout: 15_000 }).toBe(true);
  expect(blocks).toBeLessThan(50);
  await hook.close();
  await guard.close();
  expect(posts).toBe(1);
  expect(JSON.stringify(warnings)).not.toContain("webhook");
});
