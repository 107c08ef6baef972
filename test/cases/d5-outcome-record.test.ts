/** D5: cached failures, retention shorter than the agent's life, eviction, silent replay, raw data. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { newFile } from "./files.ts";
import { INVOICE, inTurn, kinds, overHttp, sleep, verdicts } from "./harness.ts";
import { HONOURS_KEYS, INVOICE_TOOL, reviewed } from "./tools.ts";

test("D5-01 every answer from the record says so where the model reads, a failure as well as a success", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ commit: "none", reply: { isError: "no stock" } }, {}] },
  });
  const failure = { operationId: "f" };
  const failed = await inTurn(2, () => given.call("create_invoice", INVOICE, failure));
  const order = { ...INVOICE, order: "o-2" };
  const done = await inTurn(2, () => given.call("create_invoice", order, { operationId: "s" }));

  expect(kinds([...failed, ...done])).toEqual(["failed", "failed", "succeeded", "succeeded"]);
  for (const [first, again] of [failed, done]) {
    expect(first?.text).not.toContain("[recalled]");
    expect(again?.text).toContain("[recalled]");
    expect(again?.isError).toBe(first?.isError);
    expect(again?.result?._meta).toMatchObject({ "indoubt/outcome": { recalled: true } });
    // The original time is the host's to see.
    expect(again?.outcome.issuedAt).toBe(first?.outcome.issuedAt);
  }
  expect(given.arrivals("create_invoice")).toBe(2);
});

test("D5-02 an answer is cached for what it proves: 500 and 503 are doubt, a rejection may be called again", async () => {
  // Disputed: caching errors. DESIGN section 5: 5xx is doubt unless declared; a rejection is never recalled.
  const refusal = { rpcError: { code: -32602, message: "bad" } };
  const given = await overHttp({
    script: {
      create_invoice: [{ reply: { status: 500, when: "after" } }, {}],
      send_email: [{ reply: { status: 503, when: "before" } }, {}],
      write_file: [{ commit: "none", reply: refusal }, {}],
    },
  });
  const twice = (tool: string, args: object) => inTurn(2, () => given.call(tool, args));
  const said = [
    ...(await twice("create_invoice", INVOICE)),
    ...(await twice("send_email", { to: "a", subject: "b", body: "c" })),
    ...(await twice("write_file", { path: "a", content: "b" })),
  ];

  expect(verdicts(said)).toEqual(["in doubt", "in doubt", "in doubt", "in doubt", "rejected", "succeeded"]);
  expect(["create_invoice", "send_email", "write_file"].map(given.arrivals)).toEqual([1, 1, 2]);
});

test("D5-03 past the destination's window, counted from the first send, nothing is sent and no new key is minted", async () => {
  const contract = reviewed(INVOICE_TOOL, { window: "400ms", margin: "50ms", concurrent: "serial" });
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }, {}] },
    destination: { nativeKey: { ...HONOURS_KEYS.nativeKey, windowMs: 400 } },
    policy: { create_invoice: { identityArgs: ["/order"], contract, settle: 500 } },
  });
  const said = await given.call("create_invoice", INVOICE);
  await sleep(550);
  const late = await given.call("create_invoice", INVOICE);
  const item = await given.until(said.outcome.operation, "unresolved");

  expect(kinds([said, late])).toEqual(["uncertain", "uncertain"]);
  expect(await given.queue()).toEqual([item.id]);
  expect(given.arrivals("create_invoice")).toBe(1);
});

test("D5-03 inside the window the resend goes out with the old key", async () => {
  const contract = reviewed(INVOICE_TOOL, { window: "1h", concurrent: "serial" });
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }, {}] },
    destination: HONOURS_KEYS,
    policy: { create_invoice: { identityArgs: ["/order"], contract, settle: 200 } },
  });
  const said = await given.call("create_invoice", INVOICE);
  const item = await given.until(said.outcome.operation, "succeeded");

  expect(item.attempts).toBe(2);
  expect(given.effects()).toHaveLength(1);
});

test("D5-03 an intent that was issued days ago and has no record is not carried out late", async () => {
  const given = await overHttp();
  const issued = (Date.now() - 3_600_000).toString(16).padStart(12, "0");
  const operationId = `${issued.slice(0, 8)}-${issued.slice(8)}-7000-8000-000000000001`;
  const said = await given.call("create_invoice", INVOICE, { operationId });

  expect(said.outcome).toMatchObject({ kind: "refused", because: "lapsed" });
  expect(given.arrivals("create_invoice")).toBe(0);
});

test("D5-04 doubt is never evicted: hundreds of other writes later the repeat is still held", async () => {
  const given = await overHttp({
    script: { create_invoice: [{ reply: "reset" }, {}] },
    policy: { create_invoice: { settle: "10m" }, send_email: { retention: 1 } },
  });
  const first = await given.call("create_invoice", INVOICE);
  const others = Array.from({ length: 257 }, (_, n) => ({ to: `m${n}`, subject: "s", body: "b" }));
  for (let start = 0; start < others.length; start += 16) {
    await Promise.all(others.slice(start, start + 16).map((mail) => given.call("send_email", mail)));
  }
  const again = await given.call("create_invoice", INVOICE);

  expect(again.outcome.heldBy).toBe(first.outcome.operation);
  expect(given.effects("send_email")).toHaveLength(257);
  expect(given.effects("create_invoice")).toHaveLength(1);
});

test("D5-05 what is replayed is countable: each recall is an outcome that says so", async () => {
  const given = await overHttp({ policy: { create_invoice: { repeat: "recall" } } });
  const recalls: boolean[] = [];
  given.guard.on("outcome", ({ recalled }) => recalls.push(recalled === true));
  await inTurn(3, () => given.call("create_invoice", INVOICE));

  expect(recalls).toEqual([false, true, true]);
});

test("D5-06 neither arguments nor keys of the caller stand readable in the store", async () => {
  const canary = "canary-7f3a@private.test";
  const file = newFile();
  const given = await overHttp({ store: sqliteStore({ file }), script: { send_email: [{ reply: "reset" }] } });
  const mail = { to: canary, subject: "s", body: "b" };
  await given.call("send_email", mail, { operationId: `mail to ${canary}`, principal: canary, tenant: canary });
  await given.call("create_invoice", { ...INVOICE, customer: canary });
  await given.close();

  const folder = dirname(file);
  const bytes = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
  expect(bytes.length).toBeGreaterThan(1_000);
  expect(bytes.includes(canary)).toBe(false);
});
