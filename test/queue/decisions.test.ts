/** Decisions of people: complete, made once, on the version that was looked at, on the record with what they change (W2). */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { BY, failure, onEachStore } from "./support.ts";

onEachStore("A decision", (newDesk) => {
  test("without actor, reason or version is refused, and nothing changes", async () => {
    const desk = newDesk();
    const { id, version } = await desk.queued("o-1");
    const given = { verdict: "applied", version, ...BY } as const;
    for (const [name, bad] of [
      ["actor", ""],
      ["actor", "  "],
      ["reason", ""],
      ["reason", " \n"],
      ["reason", undefined],
      ["version", undefined],
      ["version", "7"],
    ] as const) {
      const { code, message } = await failure(desk.guard.queue.resolve(id, { ...given, [name]: bad } as never));
      expect([code, message], `${name}: ${String(bad)}`).toEqual(["CONFIG_INVALID", expect.stringContaining(name)]);
    }
    const long = await failure(desk.guard.queue.resolve(id, { ...given, reason: "x".repeat(2_001) }));
    expect(long).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(/reason: 2001.*2000/) });
    const wordless = await failure(desk.guard.queue.resolve(id, { ...given, verdict: "perhaps" as never }));
    expect(wordless.message).toMatch(/use applied, not_applied, resend or abandon/);
    expect(await desk.guard.queue.show(id)).toMatchObject({ version, state: "unresolved" });
  });

  test("on a stale version changes nothing and tells what happened meanwhile", async () => {
    const desk = newDesk();
    const { id, version } = await desk.queued("o-1");
    await desk.guard.queue.resolve(id, { verdict: "abandon", version, actor: "finance", reason: "customer cancelled" });
    const error = await failure(desk.guard.queue.resolve(id, { verdict: "applied", version, ...BY }));
    expect(error).toMatchObject({
      code: "RESOLUTION_CONFLICT",
      details: {
        id,
        version: version + 1,
        state: "abandoned",
        since: [{ row: "operator_abandon", actor: "finance", reason: "customer cancelled", v: version + 1 }],
      },
    });
    expect((await desk.guard.queue.show(id)).state).toBe("abandoned");
  });

  test("handed in twice under one id is one decision; under the same id another decision is refused", async () => {
    const desk = newDesk();
    const { id, version } = await desk.queued("o-1");
    const once = { verdict: "applied", version, ...BY, decision: "d-1" } as const;
    const other = desk.another();
    const both = await Promise.all([desk.guard.queue.resolve(id, once), other.guard.queue.resolve(id, once)]);
    expect(both.map(({ version: after }) => after)).toEqual([version + 1, version + 1]);
    const { audit } = await desk.guard.queue.resolve(id, once);
    expect(audit.filter(({ row }) => row === "operator_applied")).toHaveLength(1);
    const error = await failure(desk.guard.queue.resolve(id, { ...once, verdict: "abandon" }));
    expect(error).toMatchObject({ code: "RESOLUTION_CONFLICT", message: expect.stringMatching(/another decision/) });
  });

  test("to send again waits for quiescence, and mints one permit", async () => {
    const desk = newDesk({ tool: { settle: "1h", validFor: "1h" } });
    desk.bank.script.push("lost_without_effect", "done");
    const id = await desk.pay("o-1");
    const { version } = await desk.guard.queue.show(id);
    const order = { verdict: "resend", version, ...BY } as const;
    const early = await failure(desk.guard.queue.resolve(id, order));
    expect(early.message).toMatch(/A lost write can still land for \d+ s.*override/);
    const ordered = await desk.guard.queue.resolve(id, { ...order, override: true });
    expect(ordered).toMatchObject({ state: "ready", version: version + 1 });
    expect(ordered.audit.at(-1)).toMatchObject({ row: "operator_resend", actor: "on-call", override: true });
    const again = await failure(desk.guard.queue.resolve(id, { ...order, version: version + 1, override: true }));
    expect(again.message).toMatch(/waits to be sent/);
    await desk.until(id, "succeeded");
    for (let turn = 0; turn < 3; turn += 1) await desk.guard.sweep();
    expect(desk.bank.effects).toEqual(["o-1"]);
  });

  test("closed without knowing is not the same as not applied: an equal call is still not sent", async () => {
    const desk = newDesk();
    const [one, two] = [await desk.queued("o-1"), await desk.queued("o-2")];
    await desk.guard.queue.resolve(one.id, { verdict: "abandon", version: one.version, ...BY });
    await desk.guard.queue.resolve(two.id, { verdict: "not_applied", version: two.version, ...BY });
    desk.bank.script.push("done");
    expect(await desk.pay("o-1")).toBe(one.id);
    expect(await desk.pay("o-2")).not.toBe(two.id);
    expect(desk.bank.effects).toEqual(["o-1", "o-2", "o-2"]);
  });

  test("keeps what a person wrote down as that person's, redacted, also in what a later call is told", async () => {
    const desk = newDesk();
    const { id, version } = await desk.queued("o-1", { operationId: "pay-1" });
    const result = { receipt: "r-77", api_key: "sk-123" };
    const resolved = await desk.guard.queue.resolve(id, { verdict: "applied", version, ...BY, ref: "r-77", result });
    expect(resolved.answer).toEqual({ by: "operator", value: { receipt: "r-77", api_key: "[redacted]" } });
    const heard: unknown[] = [];
    desk.guard.on("outcome", (outcome) => heard.push(desk.guard.toolResult(outcome)));
    await desk.pay("o-1", { operationId: "pay-1" });
    const told = JSON.stringify(heard);
    expect(told).toContain("r-77");
    expect(told).toMatch(/written down by a person who checked it; it is not the tool's own answer/);
    expect(heard[0]).toMatchObject({ _meta: { "indoubt/outcome": { kind: "applied", answerBy: "operator" } } });
    expect(told).not.toContain("sk-123");
    expect(desk.bank.effects).toEqual(["o-1"]);
  });

  test("takes a result only with a verdict that has one, and only of a kept size", async () => {
    const desk = newDesk({ maxResultBytes: 2_000 });
    const { id, version } = await desk.queued("o-1");
    const by = { version, ...BY };
    for (const [more, cure] of [
      [{ verdict: "abandon", result: { a: 1 } }, /only a verdict `applied`/],
      [{ verdict: "applied", result: ["a"] }, /must be a JSON object/],
      [{ verdict: "applied", result: { a: "x".repeat(3_000) } }, /more than maxResultBytes \(2000\)/],
    ] as const) {
      const error = await failure(desk.guard.queue.resolve(id, { ...by, ...more } as never));
      expect(error).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(cure) });
    }
    expect((await desk.guard.queue.show(id)).version).toBe(version);
  });

  test("on what is not there, or lies in another namespace, says so", async () => {
    const desk = newDesk();
    const { id, version } = await desk.queued("o-1");
    const resolution = { verdict: "applied", version, ...BY, ref: "inv_1" } as const;
    await desk.guard.queue.resolve(id, resolution);
    for (const unknown of ["nonsense", "", `${id.slice(0, 10)}_${"a".repeat(26)}`, "\u001b[31mred"]) {
      const error = await failure(desk.guard.queue.show(unknown));
      expect(error).toMatchObject({
        code: "RESOLUTION_CONFLICT",
        message: expect.stringMatching(/There is no operation/),
      });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
      expect(error.message).not.toMatch(/\u001b/);
    }
  });

  test("corrects a settled outcome; the old one stays in the audit", async () => {
    const desk = newDesk();
    const { id, version } = await desk.queued("o-1");
    const settled = await desk.guard.queue.resolve(id, { verdict: "not_applied", version, ...BY });
    const twice = await failure(desk.guard.queue.resolve(id, { verdict: "applied", version: settled.version, ...BY }));
    expect(twice.message).toContain("A settled outcome is corrected, not decided again.");
    const by = { version: settled.version, actor: "finance", reason: "found it after all", ref: "tx-9" };
    const corrected = await desk.guard.queue.correct(id, { to: "applied", ...by, result: { tx: 9 } });
    expect(corrected).toMatchObject({ state: "applied", ref: "tx-9", answer: { by: "operator" }, allowed: [] });
    const verdicts = corrected.timeline.filter(({ kind }) => kind === "verdict");
    expect(verdicts.map(({ by: who, words, text }) => [who, words, text])).toEqual([
      ["operator", "Verdict: not applied.", "on-call: looked at the bank's ledger"],
      ["operator", "Corrected from not_applied to applied.", "finance: found it after all (tx-9)"],
    ]);
  });

  test("by a late answer first: the verdict is told what came, and the answer stands", async () => {
    const desk = newDesk({ deadline: 20 });
    desk.bank.script.push("late");
    const { id, version } = await desk.queued("o-1");
    desk.bank.answerAll();
    await sleep(20);
    const settled = await desk.until(id, "succeeded");
    const error = await failure(desk.guard.queue.resolve(id, { verdict: "not_applied", version, ...BY }));
    expect(error.details).toMatchObject({ state: "succeeded", version: settled.version, since: [{ row: "ok" }] });
  });
});
