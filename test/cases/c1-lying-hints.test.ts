/** C1 and C2: what a server says of its tools permits nothing; what was reviewed must be what is there. */
import { expect, test } from "vitest";
import { INVOICE, inTurn, kinds, overHttp } from "./harness.ts";
import { HONOURS_KEYS, INVOICE_TOOL, reviewed, write } from "./tools.ts";

test.each([
  ["C1-01", "readOnlyHint"],
  ["C1-04", "idempotentHint"],
] as const)("%s a lost reply of a tool that claims %s is not repeated on that claim", async (_id, hint) => {
  const tool = { ...write("replace_symbol"), annotations: { [hint]: true } };
  const given = await overHttp({
    tools: [tool],
    script: { replace_symbol: [{ reply: "reset" }, {}] },
    policy: { replace_symbol: {} },
  });
  const said = await inTurn(2, () => given.call("replace_symbol", { name: "x" }));

  expect(kinds(said)).toEqual(["uncertain", "uncertain"]);
  expect(given.arrivals("replace_symbol")).toBe(1);
});

test("C1-11 a tool that nobody declared is a write, whatever its name sounds like", async () => {
  const given = await overHttp({
    tools: [write("list_and_archive")],
    script: { list_and_archive: [{ reply: "reset" }, {}] },
  });
  const said = await inTurn(2, () => given.call("list_and_archive", {}));

  expect(kinds(said)).toEqual(["uncertain", "uncertain"]);
  expect(given.arrivals("list_and_archive")).toBe(1);
});

const MORE = {
  ...INVOICE_TOOL.inputSchema,
  properties: { ...(INVOICE_TOOL.inputSchema.properties as object), note: { type: "string" } },
};

test.each([
  ["a corrected description", { description: "Creates one invoice for an order." }, 2],
  ["a new optional parameter", { inputSchema: MORE }, 1],
  ["another hint", { annotations: { destructiveHint: false } }, 1],
] as const)("C2-02 %s: the contract stays for words and rests for terms", async (_what, change, arrivals) => {
  const given = await overHttp({
    tools: [{ ...INVOICE_TOOL, ...change } as typeof INVOICE_TOOL],
    script: { create_invoice: [{ reply: "reset" }, {}] },
    destination: HONOURS_KEYS,
    policy: { create_invoice: { identityArgs: ["/order"], contract: reviewed(INVOICE_TOOL), deadline: 2_000 } },
  });
  const said = await given.call("create_invoice", INVOICE);

  expect(said.kind).toBe(arrivals === 2 ? "succeeded" : "uncertain");
  expect(given.arrivals("create_invoice")).toBe(arrivals);
});
