import { expect, test } from "vitest";
import { INVOICE, overHttp } from "./harness.ts";

test("T3-08 the send that the SDK repeats after a 401 stands in the history of the operation", async () => {
  const challenge = { "www-authenticate": 'Bearer error="invalid_token"' };
  const given = await overHttp({
    client: "v2",
    path: [{ status: 401, when: "before", headers: challenge }, "forward"],
    policy: { create_invoice: { deadline: 5_000 } },
    connect: { fetch: true, authProvider: { token: async () => "fresh", onUnauthorized: async () => {} } },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.outcome.kind).toBe("succeeded");
  expect(given.effects()).toHaveLength(1);
  const { audit } = await given.guard.queue.show(said.outcome.operation);
  expect(audit.at(-1)).toMatchObject({ row: "ok", sentAgainBelow: 1 });
});
