/** A mistake in the configuration shows where it is written: path, problem, cure. */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { createGuard, type GuardOptions, isIndoubtError } from "../../src/index.ts";

function problems(options: unknown): string[] {
  try {
    createGuard({ store: memoryStore(), ...(options as object) } as GuardOptions);
  } catch (error) {
    if (!isIndoubtError(error)) throw error;
    expect(error).toMatchObject({ code: "CONFIG_INVALID", effect: "none" });
    const [head, ...lines] = error.message.split("\n");
    expect(head).toBe("The configuration is not valid:");
    expect(lines.map((line) => line.slice(2))).toEqual(error.details.problems);
    return error.details.problems as string[];
  }
  return [];
}
const tool = (options: object) => ({ servers: { billing: { tools: { create_invoice: options } } } });
const at = "servers.billing.tools.create_invoice";

const BAD: readonly (readonly [what: string, options: object, problems: readonly string[]])[] = [
  ["an unknown option", { deadlines: "30s" }, ["deadlines: unknown option; check the spelling or remove it"]],
  [
    "an unknown option of a tool",
    tool({ identityArgs: ["/a"], identityargs: [] }),
    [`${at}.identityargs: unknown option; check the spelling or remove it`],
  ],
  [
    "a duration without a unit",
    { deadline: "30" },
    ['deadline: "30" is not a duration: write a number of milliseconds or a text such as "30s", "10m", "24h"'],
  ],
  [
    "a duration in an unknown unit",
    { lease: "2w" },
    ['lease: "2w" is not a duration: write a number of milliseconds or a text such as "30s", "10m", "24h"'],
  ],
  [
    "something else than a duration",
    { sweepEvery: true },
    ['sweepEvery: not a duration: write a number of milliseconds or a text such as "30s", "10m", "24h"'],
  ],
  [
    "a negative duration",
    tool({ deadline: -1 }),
    [`${at}.deadline: "-1" is not a duration: write a number of milliseconds or a text such as "30s", "10m", "24h"`],
  ],
  [
    "a pointer that is none",
    tool({ identityArgs: ["customer"] }),
    [`${at}.identityArgs.0: not a JSON Pointer: write "/customer" or "/items/0/id"`],
  ],
  [
    "no identity argument at all",
    tool({ identityArgs: [] }),
    [`${at}.identityArgs: Too small: expected array to have >=1 items`],
  ],
  [
    "a redaction by name",
    tool({ redact: ["body"] }),
    [`${at}.redact.0: not a JSON Pointer: write "/customer" or "/items/0/id"`],
  ],
  [
    "an effect that is none",
    tool({ effect: "readonly" }),
    [`${at}.effect: Invalid option: expected one of "read"|"write"`],
  ],
  [
    "a hint instead of an effect",
    tool({ readOnlyHint: true }),
    [`${at}.readOnlyHint: unknown option; check the spelling or remove it`],
  ],
  ["a hook that is no function", tool({ reconcile: "find_invoice" }), [`${at}.reconcile: must be a function`]],
  [
    "a hook object without the hook",
    tool({ reconcile: { settle: "30s" } }),
    [`${at}.reconcile.look: must be a function`],
  ],
  [
    "a hook object with a bad limit",
    tool({ reconcile: { look: () => null, absentReads: 0 } }),
    [`${at}.reconcile.absentReads: Too small: expected number to be >=1`],
  ],
  [
    "a status that is none",
    { servers: { billing: { rejectsBeforeWork: [42] } } },
    ["servers.billing.rejectsBeforeWork.0: Too small: expected number to be >=100"],
  ],
  [
    "a rule with a meaning that does not belong there",
    tool({ toolErrors: [{ at: "/code", equals: 1, means: "applied" }] }),
    [`${at}.toolErrors.0.means: Invalid option: expected one of "no_effect"|"retryable"|"uncertain"`],
  ],
  [
    "a repeat answer with another meaning",
    tool({ repeatAnswers: [{ at: "/status", equals: 409, means: "no_effect" }] }),
    [`${at}.repeatAnswers.0.means: Invalid input: expected "applied"`],
  ],
  [
    "a rule without a value",
    tool({ resultErrors: [{ at: "/ok", means: "uncertain" }] }),
    [`${at}.resultErrors.0.equals: must be a JSON value, such as "declined", 409 or false`],
  ],
  [
    "an echo to nowhere",
    tool({ echo: { order: "/order" } }),
    [`${at}.echo.order: not a JSON Pointer: write "/customer" or "/items/0/id"`],
  ],
  [
    "a contract without a key",
    tool({
      contract: {
        dedupes: "key",
        window: "24h",
        concurrent: "joined",
        mismatch: "rejected",
        replaysErrors: true,
        scope: { caller: "a", downstream: "included" },
        review: { source: "s", by: "b", on: "2026-11-30" },
      },
    }),
    [
      `${at}.contract.key: a contract that dedupes by key says where the key goes: { argument: "/…" }, { meta: "…" } or { header: "…" }`,
    ],
  ],
  [
    "a contract for a read",
    tool({ effect: "read", reconcile: () => ({ kind: "absent" }) }),
    [
      `${at}.effect: a read is never recorded, so it takes no contract or reconcile hook; remove them or declare a write`,
    ],
  ],
  ["too many attempts", tool({ maxAttempts: 100 }), [`${at}.maxAttempts: Too big: expected number to be <=20`]],
  [
    "several mistakes at once",
    { deadline: "x", ...tool({ hold: "all" }) },
    [
      `${at}.hold: Invalid option: expected one of "arguments"|"tool"`,
      'deadline: "x" is not a duration: write a number of milliseconds or a text such as "30s", "10m", "24h"',
    ],
  ],
];

describe("a configuration with", () => {
  it.each(BAD)("%s is refused with path and cure", (_what, options, lines) => {
    expect(problems(options)).toEqual(lines);
  });

  it("nothing in it is fine", () => {
    expect(problems({})).toEqual([]);
  });
});

describe("what works but hurts is a warning with its cure", () => {
  it.each([
    [
      "a hook without identityArgs",
      tool({ reconcile: () => ({ kind: "absent" }) }),
      `${at} has a contract or hook but no identityArgs: a reworded repeat is another write. Name the arguments that make the effect, or set hold.`,
    ],
    [
      "a hook without a settle time",
      tool({ identityArgs: ["/order"], reconcile: { look: () => ({ kind: "absent" }), staleness: "5s" } }),
      `${at} has a hook but no settle time: an absence after a lost reply is never believed, and a person must decide. Set reconcile.settle to the time in which a lost write can still land.`,
    ],
    ["verify without a hook", tool({ verify: "after_success" }), `${at} asks to verify but has no reconcile hook.`],
  ])("%s", (_what, options, text) => {
    expect(createGuard({ store: memoryStore(), ...(options as object) }).warnings).toContain(text);
  });

  it.each([
    ["in the hook", { reconcile: { look: () => ({ kind: "absent" }), settle: 0 } }],
    ["in the tool", { reconcile: () => ({ kind: "absent" }), settle: "30s" }],
  ])("a settle time %s is none, zero too", (_where, options) => {
    expect(
      createGuard({ store: memoryStore(), ...(tool({ identityArgs: ["/order"], ...options }) as object) }).warnings,
    ).toEqual([]);
  });
});

describe("a guard without what it needs", () => {
  it("says which store to pass", () => {
    expect(() => createGuard({} as GuardOptions)).toThrow(
      "store: missing. Pass sqliteStore() from indoubt/sqlite or redisStore({ … }) from indoubt/redis.",
    );
  });

  it("refuses a short secret", async () => {
    const guard = createGuard({ store: memoryStore(), secret: "short" });
    await expect(guard.start()).rejects.toThrow("`secret` is too short: use at least 16 bytes, better 32 random ones.");
  });
});
