/** R2: a valid reply is thrown away by schema, size, parse or id handling on the client's side. */
import { describe, expect, test } from "vitest";
import { evidenceOf, INVOICE, inTurn, kinds, overHttp, overStdio } from "./harness.ts";

const BOTH = ["v1", "v2", "v2 2026"] as const;

describe.each(BOTH)("%s", (client) => {
  test("R2-01 a tool error whose data has another shape stays the tool's error with its own text", async () => {
    const result = {
      isError: true,
      content: [{ type: "text", text: "quota exceeded" }],
      structuredContent: { code: 7 },
    };
    const given = await overHttp({ client, script: { create_invoice: [{ commit: "none", reply: { result } }] } });
    const said = await given.call("create_invoice", INVOICE);

    expect(said).toMatchObject({ kind: "failed", isError: true });
    expect(said.text).toContain("quota exceeded");
  });

  test("R2-02 -32602 by the server is a rejection, a result that the client dislikes is a success with its complaint", async () => {
    const refusal = { rpcError: { code: -32602, message: "no such customer" } };
    const given = await overHttp({
      client,
      script: { create_invoice: [{ commit: "none", reply: refusal }, { reply: "schema_invalid" }] },
    });
    const refused = await given.call("create_invoice", INVOICE);
    const accepted = await given.call("create_invoice", INVOICE);

    expect(kinds([refused, accepted])).toEqual(["rejected", "succeeded"]);
    expect(accepted.result?.isError).not.toBe(true);
    expect(accepted.outcome).toMatchObject({ answer: { kind: "result" } });
    expect(given.effects()).toHaveLength(1);
  });

  test("R2-03 a result without the declared data settles as a success first, and is complained about second", async () => {
    const given = await overHttp({
      client,
      script: { create_invoice: [{ reply: "no_structured_content" }, {}] },
      policy: { create_invoice: { repeat: "recall" } },
    });
    const said = await inTurn(2, () => given.call("create_invoice", INVOICE));

    expect(kinds(said)).toEqual(["succeeded", "succeeded"]);
    expect(said[1]?.outcome.recalled).toBe(true);
    expect((await given.guard.queue.show(said[0]?.outcome.operation ?? "")).state).toBe("succeeded");
    expect(given.effects()).toHaveLength(1);
  });
});

test.each([
  ["a shape that the SDK's schema refuses", "shape_invalid", false, "succeeded"],
  ["an envelope that the SDK's parser refuses", "extra_top_level_key", false, "uncertain"],
  ["the same envelope, read by guardFetch", "extra_top_level_key", true, "succeeded"],
] as const)("R2-03 %s never leads to a second send", async (_title, reply, fetch, kind) => {
  const given = await overHttp({
    client: "v2",
    script: { create_invoice: [{ reply }, {}] },
    policy: { create_invoice: { repeat: "recall", deadline: 500 } },
    connect: { fetch },
  });
  const said = await inTurn(2, () => given.call("create_invoice", INVOICE));

  expect(kinds(said)).toEqual([kind, kind]);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("R2-04 a host whose client throws a valid reply away repeats the write, and gets the stored success", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "schema_invalid" }, {}] },
    // In process the reply counts as received, so the operator says that repeats are recalled; a proxy does so by itself.
    policy: { create_invoice: { repeat: "recall" } },
    connect: { by: "transport" },
  });
  const said = await inTurn(2, () => given.call("create_invoice", INVOICE));

  expect(said[0]?.error).toBeDefined();
  expect(said[1]?.outcome).toMatchObject({ kind: "succeeded", recalled: true });
  expect(given.effects()).toHaveLength(1);
});

test("R2-05 text on stdout during the call is noise: the valid reply that follows settles it", async () => {
  const given = await overStdio({ script: { create_invoice: [{ reply: "stdout_noise" }] } });
  const said = await given.call("create_invoice", INVOICE);

  expect(said).toMatchObject({ kind: "succeeded", isError: false });
  expect(given.effects()).toHaveLength(1);
});

test("R2-06 an error with a null id is a hint at best, also when only one call is in flight", async () => {
  const given = await overStdio({ script: { create_invoice: [{ commit: "none", reply: "null_id_error" }, {}] } });
  const said = await inTurn(2, () => given.call("create_invoice", INVOICE));

  expect(kinds(said)).toEqual(["uncertain", "uncertain"]);
  const [first] = evidenceOf(await given.guard.queue.show(said[0]?.outcome.operation ?? ""));
  expect(first).not.toMatchObject({ id: "ours" });
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("R2-02 a huge reply is a success, too", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: { huge: 300_000 } }] },
    policy: { create_invoice: { repeat: "recall", deadline: 5_000 } },
  });
  const said = await inTurn(2, () => given.call("create_invoice", INVOICE));

  expect(kinds(said)).toEqual(["succeeded", "succeeded"]);
  // Beyond maxResultBytes the result is not kept: the recall says so, as an error because the tool has an output schema.
  expect(said[1]).toMatchObject({ isError: true });
  expect(said[1]?.text).toContain("no longer kept");
  expect(given.effects()).toHaveLength(1);
});
