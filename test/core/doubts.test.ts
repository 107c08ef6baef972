/** How a doubt ends: what an answer ends at once, what a hook may ask, and who starts looking. */
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { Wire, WireEvidence } from "../../src/entries/wire.ts";
import {
  absent,
  applied,
  contract,
  createGuard,
  type GuardOptions,
  type JsonObject,
  type LookTools,
  type ToolOptions,
  toolFingerprint,
  unclear,
} from "../../src/index.ts";
import { handClock } from "./support/hand-clock.ts";

const SILENT: WireEvidence = { kind: "silence", cause: "connection_reset" };
const TOOL_ERROR: WireEvidence = { kind: "result", result: { isError: true, content: [{ type: "text", text: "no" }] } };
const GATEWAY: WireEvidence = { kind: "http_status", status: 502 };
const secret = "a secret of at least sixteen bytes";
const definition = { name: "create_invoice", inputSchema: { type: "object" } };

/** Answers the sends in this order; the last one for good. */
function guarded(tool: ToolOptions, answers: readonly WireEvidence[], options: Partial<GuardOptions> = {}) {
  const tools = { create_invoice: { identityArgs: ["/order"], ...tool }, find_invoice: { effect: "read" } } as const;
  const guard = createGuard({ store: memoryStore(), secret, servers: { billing: { tools } }, ...options });
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  guard.toolsSeen("billing", [definition]);
  const effects: unknown[] = [];
  const wire: Wire = {
    headers: false,
    async send(attempt) {
      if (!attempt.mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      effects.push(attempt.arguments);
      return answers[Math.min(effects.length, answers.length) - 1] as WireEvidence;
    },
  };
  const call = (more: object = {}) =>
    guard.perform({ server: "billing", tool: "create_invoice", arguments: { order: "o-1" }, ...more }, wire);
  return { guard, effects, call };
}

const keyed = (replaysErrors: boolean) =>
  contract({
    dedupes: "key",
    key: { meta: "com.acme/key" },
    window: "24h",
    concurrent: "joined",
    mismatch: "rejected",
    replaysErrors,
    scope: { caller: "acme", downstream: "included" },
    review: { source: "https://billing.acme.example/docs", by: "ops", on: "2026-11-30" },
    pin: { tool: toolFingerprint(definition) },
  });

describe("an answer of the destination ends what could still arrive, a gateway's does not (R1-01, T4-09)", () => {
  const hook = { look: () => absent(), staleness: 0, absentReads: 1 };

  it("a tool error, and the hook sees nothing: not applied, although no settle time is declared", async () => {
    const { call } = guarded({ reconcile: hook }, [TOOL_ERROR]);
    expect(await call()).toMatchObject({ kind: "not_applied", reason: "observed_absent" });
  });

  it.each([
    ["HTTP 502", GATEWAY],
    ["JSON-RPC error -32603", { kind: "rpc_error", code: -32603, id: "ours", message: "upstream" }],
    ["silence", SILENT],
  ] satisfies [string, WireEvidence][])("%s, and the hook sees nothing: still in doubt", async (_what, evidence) => {
    const { call } = guarded({ reconcile: hook }, [evidence]);
    expect(await call()).toMatchObject({ kind: "uncertain" });
  });

  it("and where nobody declared a settle time, a person is asked, and reads why", async () => {
    const hand = handClock();
    const store = memoryStore({ now: hand.now });
    const { guard, call } = guarded({ reconcile: hook, deadline: "1s" }, [SILENT], { store, clock: hand.clock });
    const asked = call();
    await hand.move(2_000);
    const { operation } = await asked;
    expect((await guard.queue.show(operation)).state).toBe("uncertain");
    await hand.move(120_000);
    expect(await guard.queue.show(operation)).toMatchObject({ state: "unresolved", reason: "settle_not_declared" });
  });
});

describe("a resend under a contract that is answered with an error too (D5-03)", () => {
  it("settles it where the destination repeats stored errors: it is the answer of both sends", async () => {
    const { call, effects } = guarded({ contract: keyed(true) }, [SILENT, TOOL_ERROR]);
    expect(await call()).toMatchObject({ kind: "failed", attempts: 2 });
    expect(effects).toHaveLength(2);
  });

  it("leaves the first send in doubt where it does not", async () => {
    const { call, effects } = guarded({ contract: keyed(false) }, [SILENT, TOOL_ERROR]);
    expect(await call({ deadline: 3_000 })).toMatchObject({ kind: "uncertain" });
    expect(effects.length).toBeLessThanOrEqual(3);
  });

  it("two error answers are enough: a third send would only hear it again", async () => {
    const { call, effects } = guarded({ contract: keyed(false) }, [TOOL_ERROR]);
    expect(await call({ deadline: 3_000 })).toMatchObject({ kind: "uncertain", attempts: 2 });
    expect(effects).toHaveLength(2);
  });
});

describe("a hook asks the destination", () => {
  async function ask(answer: JsonObject, question: (call: LookTools["call"]) => Promise<unknown>) {
    const heard: { asked?: unknown; said?: unknown } = {};
    const look = async (_intent: unknown, { call }: LookTools) => {
      heard.said = await question(call).catch((error: Error) => error.message);
      return unclear("told elsewhere");
    };
    const { guard, call } = guarded({ reconcile: { look, settle: "1s" } }, [SILENT]);
    guard.connected("billing", {
      headers: false,
      async send(attempt) {
        heard.asked = attempt.arguments;
        return { kind: "result", result: answer };
      },
    });
    await call();
    return heard;
  }
  const notFound = { isError: true, content: [{ type: "text", text: "not found" }] };

  it("an error answer of a read throws, so that it is never taken for an absence", async () => {
    expect(await ask(notFound, (call) => call("find_invoice", { order: "o-1" }))).toEqual({
      asked: { order: "o-1" },
      said: 'The read "find_invoice" gave no usable answer (result).',
    });
  });

  it('unless the hook says `toolErrors: "return"`, and judges it by itself', async () => {
    expect(await ask(notFound, (call) => call("find_invoice", { order: "o-1" }, { toolErrors: "return" }))).toEqual({
      asked: { order: "o-1" },
      said: notFound,
    });
  });

  it("fields that are undefined are left out", async () => {
    const question = (call: LookTools["call"]) => call("find_invoice", { order: "o-1", page: undefined });
    expect((await ask({ content: [] }, question)).asked).toStrictEqual({ order: "o-1" });
  });
});

it("a doubt starts its own recovery: a host that never calls start() finds out all the same", async () => {
  let looks = 0;
  const look = () => (++looks === 1 ? unclear("not yet") : applied({ ref: "INV-1" }));
  const { guard, call } = guarded({ reconcile: { look, settle: "50ms" } }, [SILENT], { sweepEvery: 20 });
  const { operation, kind } = await call();
  expect(kind).toBe("uncertain");
  await expect.poll(async () => (await guard.queue.show(operation)).state, { timeout: 5_000 }).toBe("applied");
});

/** Takes the request and never answers it. */
const stalled: Wire = {
  headers: false,
  async send(attempt) {
    attempt.mayStart();
    return new Promise(() => {});
  },
};

it("a joined call whose driver died looks at the destination, and hears what became of it (T9-03)", async () => {
  const store = memoryStore();
  const tool: ToolOptions = {
    identityArgs: ["/order"],
    reconcile: { look: () => applied({ ref: "INV-1" }), settle: 0 },
  };
  const servers = { billing: { tools: { create_invoice: tool } } };
  // A clock that stands still renews no lease: to all others its process is dead.
  const dead = createGuard({ store, secret, servers, lease: 200, clock: handClock().clock });
  void dead.perform({ server: "billing", tool: "create_invoice", arguments: { order: "o-1" } }, stalled);
  const { call, effects } = guarded(tool, [SILENT], { store: store.another(), lease: 200 });
  await expect.poll(async () => (await dead.queue.list({ index: "open" })).items.length).toBe(1);
  expect(await call({ deadline: 5_000 })).toMatchObject({ kind: "applied", ref: "INV-1", attempts: 1 });
  expect(effects).toEqual([]);
});

it("`closing` tells the ears on the wires that nobody takes late answers any more, after the last call has ended", async () => {
  const order: string[] = [];
  const { guard } = guarded({}, [SILENT]);
  let answer = (_evidence: WireEvidence) => {};
  const slow: Wire = {
    headers: false,
    async send(attempt) {
      attempt.mayStart();
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
  };
  const running = guard
    .perform({ server: "billing", tool: "create_invoice", arguments: { order: "o-2" } }, slow)
    .then(({ kind }) => order.push(kind));
  await expect.poll(async () => (await guard.queue.list({ index: "open" })).items.length).toBe(1);
  guard.closing.addEventListener("abort", () => order.push("closing"));
  const closed = guard.close({ within: 5_000 });
  expect(guard.closing.aborted).toBe(false);
  answer({ kind: "result", result: { content: [] } });
  await Promise.all([running, closed]);
  expect(order).toEqual(["succeeded", "closing"]);
});
