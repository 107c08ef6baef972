import { expect, test } from "vitest";
import { INVOICE, overHttp } from "./harness.ts";
import { HONOURS_KEYS, INVOICE_TOOL, reviewed } from "./tools.ts";

test("R1-07 'already exists' on a first attempt is not made 'applied' by a resend that hears the same", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: { already_exists: "inv_of_somebody_else" } }] },
    destination: HONOURS_KEYS,
    policy: {
      create_invoice: {
        identityArgs: ["/order"],
        contract: reviewed(INVOICE_TOOL),
        deadline: 5_000,
        repeatAnswers: [{ at: "/content/0/text", equals: "Already exists: inv_of_somebody_else", means: "applied" }],
      },
    },
  });
  const said = await given.call("create_invoice", INVOICE);

  const item = await given.until(said.outcome.operation, "applied", "failed", "rejected", "unresolved");

  expect(given.effects()).toHaveLength(0);
  expect(item.state).not.toBe("applied");
});
