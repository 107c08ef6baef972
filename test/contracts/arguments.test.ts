/** Rules on arguments (S08, C1-09): what one argument makes of a call is declared, not guessed. */
import { describe, expect, it } from "vitest";
import { applied } from "../../src/index.ts";
import { callOf, guardOf, invoice, LOST, OK, pinned, SERVER, sends, terms, timeless, wireOf } from "./support.ts";

const message = (tools: object): string => {
  try {
    guardOf({ tools: tools as never });
  } catch (error) {
    expect(error).toMatchObject({ code: "CONFIG_INVALID" });
    return (error as Error).message;
  }
  return "accepted";
};

describe("a rule on arguments", () => {
  const rule = { match: { "/mode": "preview" }, effect: "read" as const };
  const preview = { create_invoice: { identityArgs: ["/order"], contract: pinned(), when: [rule] } };

  it.each([
    ["fits: a read, repeated", { order: "o", mode: "preview" }, "succeeded", 2],
    ["another value: a write, sent once", { order: "o", mode: "real" }, "uncertain", 1],
    ["the argument is left out: a write, sent once", { order: "o" }, "uncertain", 1],
    ["another type: a write, sent once", { order: "o", mode: ["preview"] }, "uncertain", 1],
  ])("C1-09 %s", async (_what, args, kind, sent) => {
    const { guard, run } = timeless({ tools: preview });
    const wire = wireOf(LOST, OK);
    const work = guard.perform(callOf(args), wire);
    expect((await (sent === 2 ? work : run(work))).kind).toBe(kind);
    expect(sends(wire)).toBe(sent);
  });

  it("takes the contract's ground away from the arguments that it names", async () => {
    const contract = pinned();
    const tool = { identityArgs: ["/order"], contract, when: [{ match: { "/mode": "overwrite" }, maxAttempts: 1 }] };
    const sent = async (mode: string) => {
      const { guard, run } = timeless({ tools: { create_invoice: tool } });
      guard.toolsSeen(SERVER, [invoice], {});
      const wire = wireOf(LOST, OK);
      await run(guard.perform(callOf({ order: "o", mode }), wire));
      return sends(wire);
    };
    expect([await sent("append"), await sent("overwrite")]).toEqual([2, 1]);
  });

  it("the first that fits counts, all of its arguments must fit, values are compared as JSON", async () => {
    const rules = [
      { match: { "/mode": "a", "/amount": 1 }, permissions: ["first"] },
      { match: { "/mode": "a" }, permissions: ["second"] },
      { match: { "/tags": { y: 1, x: [true] } }, permissions: ["third"] },
    ];
    const { guard } = guardOf({ tools: { create_invoice: { when: rules } } });
    const said = async (args: object) => (await guard.describeCall(callOf(args as never))).permissions.join();
    expect(await said({ mode: "a", amount: 1 })).toBe("first");
    expect(await said({ mode: "a", amount: 2 })).toBe("second");
    expect(await said({ tags: { x: [true], y: 1 } })).toBe("third");
    expect(await said({ tags: { x: [true, false], y: 1 } })).toBe("");
  });

  it("holds in recovery too, from the kept arguments, also where their name looks like a secret", async () => {
    const looked: unknown[] = [];
    const look = async (intent: { arguments: unknown }) => {
      looked.push(intent.arguments);
      return applied();
    };
    const rule = { match: { "/page_secret": "x" }, identityArgs: ["/order"], reconcile: { look, settle: 1 } };
    const { guard, run } = timeless({ tools: { create_invoice: { when: [rule] } }, deadline: 50 });
    const wire = {
      ...wireOf(),
      send(attempt: { mayStart(): boolean }) {
        attempt.mayStart();
        return new Promise<never>(() => {});
      },
    };
    const outcome = await run(guard.perform(callOf({ order: "o", page_secret: "x" }), wire));
    await run(guard.sweep());
    expect((await guard.queue.show(outcome.operation)).state).toBe("applied");
    expect(looked[0]).toEqual({ order: "o", page_secret: "x" });
  });

  it("with a pointer that the schema cannot have is refused before anything is sent", async () => {
    const { guard } = guardOf({ tools: { create_invoice: { when: [{ match: { "/mod": "x" }, effect: "read" }] } } });
    guard.toolsSeen(SERVER, [invoice], {});
    const wire = wireOf(OK);
    await expect(guard.perform(callOf(), wire)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining('create_invoice.when: "/mod" is not in the input schema'),
    });
    expect(sends(wire)).toBe(0);
  });

  it.each([
    ["no argument", { when: [{ match: {} }] }, "when.0.match: names no argument"],
    ["no pointer", { when: [{ match: { mode: 1 } }] }, "when.0.match.mode: not a JSON Pointer"],
    ["an unknown option", { when: [{ match: { "/m": 1 }, efect: "read" }] }, "when.0.efect: unknown option"],
    ["a rule in a rule", { when: [{ match: { "/m": 1 }, when: [] }] }, "when.0.when: unknown option"],
    [
      "a read with a contract",
      { when: [{ match: { "/m": 1 }, effect: "read", contract: terms() }] },
      "when.0.effect: a read is never recorded",
    ],
    [
      "a contract by arguments without identity",
      { when: [{ match: { "/m": 1 }, contract: { ...terms(), dedupes: "arguments" } }] },
      "when.0.identityArgs: a contract that dedupes by arguments",
    ],
  ])("%s is told with its path", (_what, tool, told) => {
    expect(message({ create_invoice: tool })).toContain(`servers.billing.tools.create_invoice.${told}`);
  });

  it("a read with rules that make it a write is warned of: what fits no rule is taken for a read", () => {
    const tool = { effect: "read" as const, when: [{ match: { "/mode": "overwrite" }, effect: "write" as const }] };
    expect(guardOf({ tools: { t: tool } }).guard.warnings).toEqual([expect.stringContaining("Declare it a write")]);
  });
});
