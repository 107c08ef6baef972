import { expect, it } from "vitest";
import { guardFetch } from "../../adapters/mcp/index.ts";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { createGuard } from "../../src/index.ts";
import { SECRET } from "./support.ts";

it("A1: a fetch that retries by itself ends with ECONNREFUSED after its first request got through: that is no proof", async () => {
  const guard = createGuard({ store: memoryStore(), secret: SECRET, deadline: "5s" });
  let effects = 0;
  let restarts = 0;
  // Any of the retrying fetches: the reply of the first request is lost in a crash, the retry meets a closed port.
  const retrying: typeof fetch = async () => {
    if (restarts === 0) {
      effects += 1;
      restarts += 1;
      throw Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(new Error(), { code: "ECONNREFUSED" }),
      });
    }
    effects += 1;
    const body = { jsonrpc: "2.0", id: 1, result: { content: [] } };
    return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
  };
  const guarded = guardFetch(guard, { server: "billing", fetch: retrying });
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pay", arguments: { order: 1 } } };
  await guarded("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message),
  });
  expect(effects).toBe(1);
});
