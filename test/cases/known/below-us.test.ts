/** Known limits: each runs as a test that must fail until the product does better; then it moves to its kind. */
import { expect, test } from "vitest";
import { INVOICE, overHttp } from "../harness.ts";

test.fails("T3-08 the send that the SDK repeats after a 401 is counted as a second attempt on the record", async () => {
  const challenge = { "www-authenticate": 'Bearer error="invalid_token"' };
  const given = await overHttp({
    client: "v2",
    path: [{ status: 401, when: "before", headers: challenge }, "forward"],
    policy: { create_invoice: { deadline: 5_000 } },
    connect: { fetch: true, authProvider: { token: async () => "fresh", onUnauthorized: async () => {} } },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.outcome.attempts).toBe(2);
});
