/** Probes without code (C05, S16): what they may ask, what an answer means, and when it means nothing. */
import { describe, expect, it } from "vitest";
import type { Intent, JsonValue, ProbeOptions } from "../../src/index.ts";
import { type Found, probe, probeProblems } from "../../src/probe/probe.ts";
import { toolProbe } from "../../src/probe/tool-probe.ts";
import {
  callOf,
  finder,
  guardOf,
  invoice,
  LOST,
  lockOf,
  OK,
  SERVER,
  sends,
  terms,
  timeless,
  wireOf,
} from "./support.ts";

const KEY = "11111111-1111-8111-8111-111111111111";
const intent: Intent = {
  operation: "op_1",
  key: KEY,
  server: SERVER,
  tool: "create_invoice",
  arguments: { order: "o-1", amount: 12, nested: { a: [1] } },
  issuedAt: 1_000,
  age: 5,
  attempts: 1,
};
const looked = (found: Found, answer: JsonValue, baseline?: object, rules = {}) =>
  probe({ request: {}, found, ...rules }, async () => answer)(intent, {
    call: async () => ({}),
    signal: new AbortController().signal,
    baseline,
  });
const byKey: Found = { at: "/list", where: { "/ref": "{{key}}" }, ref: "/id" };

describe("a match correlates", () => {
  it.each<[what: string, found: Found, answer: JsonValue, means: object]>([
    [
      "by our key",
      byKey,
      {
        list: [
          { id: 7, ref: KEY },
          { id: 8, ref: "x" },
        ],
      },
      { kind: "applied", ref: "7", count: 1 },
    ],
    ["twice by our key: two effects", byKey, { list: [{ ref: KEY }, { ref: KEY }] }, { kind: "applied", count: 2 }],
    [
      "the key inside a text",
      { at: "/list", where: { "/memo": { contains: "{{key}}" } } },
      { list: [{ memo: `ref ${KEY}!` }] },
      { kind: "applied" },
    ],
    [
      "by fields that identify",
      { at: "/list", where: { "/order": "{{arguments/order}}" }, identifies: true },
      { list: [{ order: "o-1" }] },
      { kind: "applied", count: 1 },
    ],
    [
      "by fields that do not identify: cause unknown",
      { at: "/list", where: { "/order": "{{arguments/order}}" } },
      { list: [{ order: "o-1" }] },
      { kind: "applied", attributed: false },
    ],
    [
      "several by fields that do not identify",
      { at: "/list", where: { "/order": "{{arguments/order}}" } },
      { list: [{ order: "o-1" }, { order: "o-1" }] },
      { kind: "unclear" },
    ],
    ["a single object", { at: "/one", where: { "/ref": "{{key}}" } }, { one: { ref: KEY } }, { kind: "applied" }],
    [
      "no object, where that means that it is not there",
      { at: "/one", where: { "/ref": "{{key}}" }, missing: "absent" },
      { one: null },
      { kind: "absent" },
    ],
    [
      "a place that is the whole text keeps its type",
      {
        at: "/list",
        where: { "/amount": "{{arguments/amount}}", "/a": "{{ arguments./nested/a }}", "/ref": "{{key}}" },
      },
      { list: [{ amount: 12, a: [1], ref: KEY }] },
      { kind: "applied" },
    ],
    [
      "text answers",
      { parse: "json", at: "/list", where: { "/ref": "{{key}}" } },
      { content: [{ type: "text", text: `{"list":[{"ref":"${KEY}"}]}` }] },
      { kind: "applied" },
    ],
  ])("%s", async (_what, found, answer, means) => {
    const seen = await looked(found, answer);
    expect(seen).toMatchObject(means);
    if (!("count" in means)) expect(seen).not.toHaveProperty("count", 2);
  });
});

describe("an answer that cannot say is unclear, never an absence", () => {
  it.each<[what: string, found: Found, answer: JsonValue, why: string]>([
    ["nothing where it should be", byKey, { items: [] }, 'nothing at "/list"'],
    [
      "a field that no item has: renamed at the destination",
      byKey,
      { list: [{ reference: KEY }] },
      'no item of the answer has "/ref"',
    ],
    ["more pages", { ...byKey, more: "/next" }, { list: [{ ref: "x" }], next: "2" }, "more pages"],
    ["text that is no JSON", { ...byKey, parse: "json" }, { content: [{ type: "text", text: "Found 1" }] }, "no JSON"],
    [
      "an argument that is not on record",
      { at: "/list", where: { "/x": "{{arguments/gone}}" } },
      { list: [] },
      "{{arguments/gone}} is not on record",
    ],
  ])("%s", async (_what, found, answer, why) => {
    const seen = await Promise.resolve(looked(found, answer)).catch((error: Error) => ({
      kind: "unclear",
      reason: error.message,
    }));
    expect(seen).toMatchObject({ kind: "unclear", reason: expect.stringContaining(why) });
  });

  it.each<[what: string, found: Found, answer: JsonValue]>([
    ["an empty list", byKey, { list: [] }],
    ["others only", byKey, { list: [{ ref: "x" }] }],
    ["the last page", { ...byKey, more: "/next" }, { list: [], next: "" }],
    ["nothing there, where the operator says that this means so", { ...byKey, missing: "absent" }, {}],
    ["an error that means so", { ...byKey, absentWhen: [{ at: "/code", equals: 404 }] }, { code: 404 }],
  ])("%s is an absence", async (_what, found, answer) => {
    expect(await looked(found, answer)).toEqual({ kind: "absent" });
  });
});

describe("a destination without our key", () => {
  const newer: Found = {
    at: "/list",
    where: { "/order": "{{arguments/order}}", "/at": { after: "{{baseline.watermark}}" } },
    ref: "/id",
  };
  const rules = { baseline: { watermark: "/at" } } as const;
  const day = "2026-11-30T12:00:00Z";

  it.each<[what: string, items: JsonValue[], baseline: object | undefined, means: object]>([
    [
      "one that is newer",
      [
        { order: "o-1", at: 5 },
        { order: "o-1", at: 6, id: "n" },
      ],
      { watermark: 5, count: 1 },
      { kind: "applied", ref: "n" },
    ],
    [
      "dates are dates, in whatever zone",
      [{ order: "o-1", at: "2026-11-30T13:30:00+01:00" }],
      { watermark: day, count: 0 },
      { kind: "applied" },
    ],
    ["anything is newer than nothing", [{ order: "o-1", at: 1 }], { watermark: null, count: 0 }, { kind: "applied" }],
    ["none that is newer", [{ order: "o-1", at: 5 }], { watermark: 5, count: 1 }, { kind: "absent" }],
    [
      "two that are newer: nothing tells which",
      [
        { order: "o-1", at: 6 },
        { order: "o-1", at: 7 },
      ],
      { watermark: 5, count: 1 },
      { kind: "unclear" },
    ],
    [
      "a new one with the very value of the watermark",
      [
        { order: "x", at: 5 },
        { order: "o-1", at: 5 },
      ],
      { watermark: 5, count: 1 },
      { kind: "unclear" },
    ],
    ["texts have no order", [{ order: "o-1", at: "inv_10" }], { watermark: "inv_9", count: 1 }, { kind: "unclear" }],
    ["no watermark on record", [{ order: "o-1", at: 9 }], undefined, { kind: "unclear" }],
  ])("by a watermark: %s", async (_what, list, baseline, means) => {
    const seen = await Promise.resolve(looked(newer, { list }, baseline, rules)).catch(() => ({ kind: "unclear" }));
    expect(seen).toMatchObject(means);
  });

  it.each<[what: string, now: number, baseline: object | undefined, means: object]>([
    ["one more", 4, { count: 3 }, { kind: "applied", attributed: false }],
    ["as many", 3, { count: 3 }, { kind: "absent" }],
    ["two more", 5, { count: 3 }, { kind: "unclear" }],
    ["fewer", 2, { count: 3 }, { kind: "unclear" }],
    ["no count on record", 3, undefined, { kind: "unclear" }],
  ])("by a count: %s", async (_what, now, baseline, means) => {
    const list = Array.from({ length: now }, () => ({ order: "o-1" }));
    const found: Found = { at: "/list", where: { "/order": "{{arguments/order}}" } };
    expect(await looked(found, { list }, baseline, { baseline: "count" })).toMatchObject(means);
  });
});

describe("a probe in a configuration is refused at start", () => {
  const tool =
    (reconcile: Partial<ProbeOptions>, more: object = {}) =>
    () =>
      guardOf({
        lock: lockOf([invoice, finder]),
        tools: {
          find_invoice: { effect: "read" },
          create_invoice: {
            identityArgs: ["/order"],
            reconcile: { tool: "find_invoice", found: { at: "/list" }, settle: 1, ...reconcile } as never,
            ...more,
          },
        },
      });
  const keyed = { contract: terms() };
  const shown = { where: { "/r": "{{key}}" } };

  it.each<[what: string, setup: () => unknown, told: string]>([
    [
      "that calls a writing tool",
      tool({ tool: "create_invoice" }),
      'reconcile.tool: "create_invoice" is not declared a read',
    ],
    ["that looks for a key which nobody places", tool({ found: shown }), "{{key}} is looked for, but no key is placed"],
    [
      "that names something else",
      tool({ arguments: { q: "{{env.TOKEN}}" } }),
      "reconcile.arguments: {{env.TOKEN}} is nothing that a probe may use",
    ],
    [
      "that names the answer",
      tool({ found: { where: { "/a": "{{result.id}}" } } }),
      "{{result.id}} is nothing that a probe may use",
    ],
    ["that trusts a filter by key", tool({ arguments: { r: "{{key}}" } }, keyed), "name the field that shows the key"],
    [
      "that fills in what is redacted",
      tool({ found: { where: { "/a": "{{arguments/mode}}" } } }, { redact: ["/mode"] }),
      "{{arguments/mode}} is redacted",
    ],
    [
      "that fills in what the schema does not have",
      tool({ found: { where: { "/a": "{{arguments/ordr}}" } } }),
      '"/ordr" is not in the input schema',
    ],
    [
      "that compares with a watermark which nobody reads",
      tool({ found: { where: { "/at": { after: "{{baseline.watermark}}" } } } }),
      'needs baseline: { watermark: "/field" }',
    ],
    ["that reads a watermark and does not use it", tool({ baseline: { watermark: "/at" } }), "use the watermark"],
    [
      "that asks for the key before the send",
      tool({ found: shown, baseline: "count" }, keyed),
      "cannot be there before the send",
    ],
    [
      "with a marker beside the contract's key",
      tool({}, { ...keyed, marker: { argument: "/mode" } }),
      "marker: the contract's key is a marker already",
    ],
    [
      "with a marker that the schema forbids",
      tool({ found: shown }, { marker: { argument: "/amount" } }),
      "marker.argument: the schema forbids a key",
    ],
    ["with an unknown option", tool({ fnd: {} } as never), "reconcile.fnd: unknown option"],
    ["without a pointer", tool({ found: { at: "list" } }), "reconcile.found.at: not a JSON Pointer"],
  ])("%s", (_what, setup, told) => {
    expect(setup).toThrow(told);
    expect(setup).toThrow("servers.billing.tools.create_invoice");
  });

  it("with a marker, or a contract's key, it is accepted", () => {
    expect(tool({ found: shown }, { marker: { argument: "/mode" } })).not.toThrow();
    expect(tool({ found: shown }, keyed)).not.toThrow();
    expect(probeProblems({ request: { r: "{{key}}" }, found: { filtered: true } })).toEqual([]);
  });

  it("one that matches by nothing that identifies is warned of", () => {
    const { guard } = guardOf({
      tools: {
        find_invoice: { effect: "read" },
        create_invoice: {
          identityArgs: ["/order"],
          reconcile: { tool: "find_invoice", found: { at: "/list" }, settle: 1 },
        },
      },
    });
    expect(guard.warnings.join()).toContain("cause unknown");
  });
});

/** The server keeps invoices; the first write lands and its reply is lost. */
function billing(lost = true) {
  const invoices: { order: string; reference?: string; at: number }[] = [{ order: "o-1", at: 1 }];
  const wire = wireOf((attempt) => {
    if (attempt.tool === "find_invoice")
      return { kind: "result", result: { structuredContent: { invoices: [...invoices] } as never } };
    const { order, mode } = attempt.arguments as { order: string; mode?: string };
    invoices.push({ order, at: invoices.length + 1, ...(mode !== undefined && { reference: mode }) });
    return lost ? LOST : OK;
  });
  return { wire, invoices };
}
const list = "/structuredContent/invoices";

describe("a probe in a guard", () => {
  it("finds the effect by a marker that it placed, and nothing else", async () => {
    const reconcile = { tool: "find_invoice", found: { at: list, where: { "/reference": "{{key}}" } }, settle: 1 };
    const { guard } = guardOf({
      tools: {
        find_invoice: { effect: "read" },
        create_invoice: { identityArgs: ["/order"], marker: { argument: "/mode" }, reconcile },
      },
    });
    const { wire, invoices } = billing();
    guard.connected(SERVER, wire);
    expect(await guard.perform(callOf(), wire)).toMatchObject({ kind: "applied", attempts: 1 });
    expect(invoices[1]?.reference).toMatch(/^[0-9a-f-]{36}$/);
    expect(sends(wire)).toBe(1);
  });

  it("without a key it reads first, records, sends: three round trips, and finds what is newer", async () => {
    const where = { "/order": "{{arguments/order}}", "/at": { after: "{{baseline.watermark}}" } };
    const reconcile = { tool: "find_invoice", found: { at: list, where }, baseline: { watermark: "/at" }, settle: 1 };
    const { guard, events } = guardOf({
      tools: { find_invoice: { effect: "read" }, create_invoice: { identityArgs: ["/order"], reconcile } },
    });
    const { wire } = billing();
    guard.connected(SERVER, wire);
    expect(await guard.perform(callOf(), wire)).toMatchObject({ kind: "applied", attempts: 1 });
    expect(wire.sent.map(({ tool }) => tool)).toEqual(["find_invoice", "create_invoice", "find_invoice"]);
    const rows = events.transition.map(({ row }) => row);
    expect(rows.slice(0, 2)).toEqual(["start", expect.anything()]);
  });

  it("a baseline that cannot be read lets the call go on; its look is unclear, and nothing is sent again", async () => {
    const found = { at: list, where: { "/at": { after: "{{baseline.watermark}}" } } };
    const reconcile = {
      tool: "find_invoice",
      found,
      baseline: { watermark: "/none" },
      settle: 1,
      resendWhenAbsent: true,
    };
    const { guard, events, run } = timeless({
      tools: {
        find_invoice: { effect: "read" },
        create_invoice: { identityArgs: ["/order"], reconcile: { ...reconcile, maxProbes: 2 } },
      },
    });
    const { wire } = billing();
    guard.connected(SERVER, wire);
    const outcome = await run(guard.perform(callOf(), wire));
    expect(outcome.kind).toBe("uncertain");
    expect(events.warning.map(({ message }) => message).join()).toContain("could not be read");
    expect(sends(wire)).toBe(1);
  });

  it("absent reads count only `readGap` apart", async () => {
    const limits = { settle: 1, staleness: 1, absentReads: 2, readGap: "1h", maxProbes: 50 } as const;
    const reconcile = { tool: "find_invoice", found: { at: list, where: { "/reference": "{{key}}" } }, ...limits };
    const { guard, run, time } = timeless({
      tools: {
        find_invoice: { effect: "read" },
        create_invoice: { identityArgs: ["/order"], marker: { argument: "/mode" }, reconcile },
      },
    });
    const wire = wireOf((attempt) =>
      attempt.tool === "find_invoice" ? { kind: "result", result: { structuredContent: { invoices: [] } } } : LOST,
    );
    guard.connected(SERVER, wire);
    const outcome = await run(guard.perform({ ...callOf(), deadline: 200 }, wire));
    const state = async () => (await guard.queue.show(outcome.operation)).state;
    for (let minute = 0; minute < 50; minute += 1) {
      await time.advance(60_000);
      await run(guard.sweep());
    }
    expect(await state()).toBe("uncertain");
    for (let minute = 0; minute < 20; minute += 1) {
      await time.advance(60_000);
      await run(guard.sweep());
    }
    expect(await state()).toBe("not_applied");
  });

  it("a tool error is unclear, unless the rules say that it means absent", async () => {
    const error = { isError: true, structuredContent: { code: "not_found" } };
    const call = async (_tool: string, _args: unknown, options?: { toolErrors?: string }) => {
      if (options?.toolErrors !== "return") throw new Error("an error");
      return error;
    };
    const tools = { call, signal: new AbortController().signal } as never;
    const where = { "/r": "{{key}}" };
    await expect(toolProbe({ tool: "find", found: { where } })(intent, tools)).rejects.toThrow("an error");
    const absentWhen = [{ at: "/structuredContent/code", equals: "not_found" }];
    expect(await toolProbe({ tool: "find", found: { where, absentWhen } })(intent, tools)).toEqual({ kind: "absent" });
    const other = [{ at: "/structuredContent/code", equals: "gone" }];
    await expect(toolProbe({ tool: "find", found: { where, absentWhen: other } })(intent, tools)).rejects.toThrow(
      "with an error",
    );
  });
});
