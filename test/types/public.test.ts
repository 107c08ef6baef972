/** The public types as users meet them; `npm run check:types` is what fails. */
import { expect, expectTypeOf, it } from "vitest";
import type { Queue, Resolution } from "../../src/entries/queue.ts";
import type { Store } from "../../src/entries/store.ts";
import {
  absent,
  applied,
  type CallContext,
  type Contract,
  type ContractInput,
  contract,
  createGuard,
  type ErrorCode,
  type Guard,
  type GuardEvents,
  type GuardOptions,
  guardFunction,
  IndoubtError,
  isIndoubtError,
  type Observation,
  type Outcome,
  type OutcomeKind,
  type PresetContractInput,
  partial,
  type ReconcileHook,
  unclear,
  withCallContext,
} from "../../src/index.ts";

const terms = {
  dedupes: "key",
  key: { argument: "/idempotency_key" },
  window: "24h",
  concurrent: "rejected",
  mismatch: "rejected",
  replaysErrors: true,
  scope: { caller: "acme-prod", downstream: "included" },
  review: { source: "https://example.com/idempotency", by: "ops", on: "2026-11-30" },
} as const satisfies ContractInput;

/** No default branch: a new kind of outcome is an error here, as it is for users. */
function say(outcome: Outcome): string {
  switch (outcome.kind) {
    case "succeeded":
    case "failed":
    case "rejected":
      return outcome.answer?.kind ?? "no answer";
    case "applied":
      return outcome.ref ?? String(outcome.attributed);
    case "not_applied":
    case "unresolved":
      return outcome.reason;
    case "uncertain":
      return `${outcome.reason} ${outcome.state}`;
    case "partial":
      return outcome.items.map(({ item, verdict }) => `${item} ${verdict}`).join();
    case "abandoned":
      return outcome.operation;
    case "refused":
      return `${outcome.because}: ${outcome.detail}`;
  }
}

it("an outcome can be switched exhaustively on `kind`", () => {
  expectTypeOf<OutcomeKind>().toEqualTypeOf<
    | "succeeded"
    | "failed"
    | "rejected"
    | "applied"
    | "not_applied"
    | "partial"
    | "uncertain"
    | "unresolved"
    | "abandoned"
    | "refused"
  >();
  expectTypeOf(say).returns.toEqualTypeOf<string>();
  expect(say({ kind: "abandoned", operation: "op", server: "s", tool: "t", attempts: 1 })).toBe("op");
});

it("marks are `true` or absent, so that they cannot be forgotten as `false`", () => {
  expectTypeOf<Outcome["recalled"]>().toEqualTypeOf<true | undefined>();
  expectTypeOf<Outcome["joined"]>().toEqualTypeOf<true | undefined>();
  expectTypeOf<Outcome["recorded"]>().toEqualTypeOf<false | undefined>();
});

it("a contract needs every term that has no default", () => {
  expectTypeOf(contract).parameter(0).toEqualTypeOf<ContractInput | PresetContractInput>();
  expectTypeOf(contract(terms)).toEqualTypeOf<Contract>();
  expectTypeOf<Contract["window"]>().toEqualTypeOf<number>();
  // @ts-expect-error a window has a unit
  expectTypeOf({ ...terms, window: "24" }).toExtend<ContractInput>();
  const { review: _review, ...unreviewed } = terms;
  // @ts-expect-error nobody reviewed it
  expectTypeOf(unreviewed).toExtend<ContractInput>();
  // @ts-expect-error a key stands in one place
  const twoPlaces: ContractInput["key"] = { field: "key" };
  expect(twoPlaces).toBeDefined();
});

it("the options of a guard take durations as numbers or texts, and hooks with their types", () => {
  expectTypeOf<GuardOptions["store"]>().toEqualTypeOf<Store>();
  const options = {
    deadline: "30s",
    lease: 1_000,
    undeclared: "refuse",
    servers: {
      billing: {
        tools: {
          find_invoice: { effect: "read" },
          create_invoice: {
            identityArgs: ["/order"],
            contract: contract(terms),
            reconcile: async (intent, { call, signal }) => {
              expectTypeOf(intent.key).toEqualTypeOf<string>();
              expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
              await call("find_invoice", { order: intent.operation });
              return absent();
            },
          },
        },
      },
    },
  } satisfies Omit<GuardOptions, "store">;
  expectTypeOf(options).toExtend<Omit<GuardOptions, "store">>();
  // @ts-expect-error an effect is read or write
  const wrong: Omit<GuardOptions, "store"> = { servers: { s: { tools: { t: { effect: "readonly" } } } } };
  expect(wrong).toBeDefined();
  expectTypeOf(createGuard).returns.toEqualTypeOf<Guard>();
});

it("a hook answers one of four observations", () => {
  expectTypeOf<Observation["kind"]>().toEqualTypeOf<"applied" | "absent" | "partial" | "unclear">();
  expectTypeOf<ReturnType<ReconcileHook>>().toEqualTypeOf<Observation | Promise<Observation>>();
  expect([applied({ ref: "INV-1" }), absent(), partial({ items: [] }), unclear("why")].map(({ kind }) => kind)).toEqual(
    ["applied", "absent", "partial", "unclear"],
  );
});

it("listeners get the detail of their event", () => {
  type On = Guard["on"];
  expectTypeOf<Parameters<On>[0]>().toEqualTypeOf<keyof GuardEvents>();
  expectTypeOf<GuardEvents["outcome"]>().toEqualTypeOf<Outcome>();
  expectTypeOf<ReturnType<On>>().toEqualTypeOf<() => void>();
});

it("a decision of the queue needs a verdict, a version, an actor and a reason", () => {
  type Required = { [K in keyof Resolution as undefined extends Resolution[K] ? never : K]: true };
  expectTypeOf<keyof Required>().toEqualTypeOf<"verdict" | "version" | "actor" | "reason">();
  expectTypeOf<Resolution["verdict"]>().toEqualTypeOf<"applied" | "not_applied" | "resend" | "abandon">();
  expectTypeOf<Parameters<Queue["resolve"]>[0]>().toEqualTypeOf<string>();
});

it("errors are told by their code, also across copies of the package", () => {
  const error: unknown = new IndoubtError("STORE_UNAVAILABLE", "gone", { effect: "possible" });
  if (!isIndoubtError(error)) throw new Error("it is one of ours");
  expectTypeOf(error.code).toEqualTypeOf<ErrorCode>();
  expectTypeOf(error.effect).toEqualTypeOf<"none" | "possible" | "confirmed">();
  expect(error.code).toBe("STORE_UNAVAILABLE");
});

it("a guarded function keeps its arguments and returns the outcome; a context keeps the result", () => {
  const guarded = (guard: Guard) =>
    guardFunction(guard, { server: "psp", tool: "refund" }, async (args: { payment: string }) => args.payment);
  expectTypeOf<ReturnType<typeof guarded>>().parameter(0).toEqualTypeOf<{ payment: string }>();
  expectTypeOf<ReturnType<ReturnType<typeof guarded>>>().toEqualTypeOf<Promise<Outcome>>();
  expectTypeOf<CallContext["operationId"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf(withCallContext({ runId: "r" }, () => 1)).toEqualTypeOf<number>();
  expect(withCallContext({ runId: "r" }, () => 1)).toBe(1);
});
