/** The option types that editors show are the options that the parser takes, no more and no less. */
import { expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { optionsSchema } from "../../src/config.ts";
import type { contractSchema } from "../../src/core/contract.ts";
import type {
  ContractInput,
  GuardOptions,
  ProbeOptions,
  ReconcileOptions,
  ServerOptions,
  ToolOptions,
} from "../../src/index.ts";
import type { GuardPolicyOptions } from "../../src/options.ts";

/** `readonly` is a courtesy to the caller; the parser does not know the word. */
type Writable<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? Writable<Item>[]
    : T extends object
      ? { -readonly [K in keyof T]: Writable<T[K]> }
      : T;
type Parsed = z.input<typeof optionsSchema>;
type Entry<T> = T extends Readonly<Record<string, infer Item>> | undefined ? Item : never;
type ParsedServer = Entry<NonNullable<Parsed["servers"]>>;
type ParsedTool = Entry<NonNullable<ParsedServer["tools"]>>;
type ParsedHook = Extract<ParsedTool["reconcile"], { look: unknown }>;
type ParsedProbe = Extract<ParsedTool["reconcile"], { tool: unknown }>;

it("of a guard", () => {
  expectTypeOf<Writable<GuardPolicyOptions>>().toEqualTypeOf<Writable<Parsed>>();
  expectTypeOf<keyof GuardOptions>().toEqualTypeOf<keyof Parsed | "store" | "secret" | "clock" | "recovery">();
  expectTypeOf<Parsed>().toExtend<GuardPolicyOptions>();
});

it("of a server, a tool and a hook, level by level", () => {
  expectTypeOf<Writable<ServerOptions>>().toEqualTypeOf<Writable<ParsedServer>>();
  expectTypeOf<Writable<ToolOptions>>().toEqualTypeOf<Writable<ParsedTool>>();
  expectTypeOf<Writable<ReconcileOptions>>().toEqualTypeOf<Writable<ParsedHook>>();
  expectTypeOf<Writable<ProbeOptions>>().toEqualTypeOf<Writable<ParsedProbe>>();
});

it("of a contract", () => {
  expectTypeOf<Writable<ContractInput>>().toEqualTypeOf<Writable<z.input<typeof contractSchema>>>();
});

it("a duration in words is an error in the editor already, and lists may be readonly", () => {
  const lists = { identityArgs: ["/customer"], redact: ["/body"] } as const;
  expectTypeOf(lists).toExtend<ToolOptions>();
  // @ts-expect-error a unit is one of ms, s, m, h, d
  const wrong: ToolOptions = { deadline: "60 seconds" };
  expect(wrong).toBeDefined();
});
