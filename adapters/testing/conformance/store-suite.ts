/**
 * The conformance suite for stores: every promise of the `Store` port as a case that any test runner can run.
 * Our own stores run it; a store of yours is one when all cases pass.
 */
import { beginCases } from "./begin-cases.ts";
import { expiryCases } from "./expiry-cases.ts";
import type { StoreCase, StoreHarness } from "./harness.ts";
import { holdCases } from "./hold-cases.ts";
import { indexCases } from "./index-cases.ts";
import { journalCases } from "./journal-cases.ts";
import { lifeCases } from "./life-cases.ts";
import { lossCases } from "./loss-cases.ts";
import { orderCases } from "./order-cases.ts";
import { raceCases } from "./race-cases.ts";
import { suspensionCases } from "./suspension-cases.ts";
import { swapCases } from "./swap-cases.ts";

/** All cases, in the order of the port. */
export const storeSuite: readonly StoreCase[] = [
  ...beginCases,
  ...swapCases,
  ...holdCases,
  ...indexCases,
  ...orderCases,
  ...journalCases,
  ...expiryCases,
  ...lossCases,
  ...raceCases,
  ...suspensionCases,
  ...lifeCases,
];

/** The two functions of a test runner that the suite needs: those of vitest, jest and node:test fit. */
export interface StoreTestRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: () => Promise<void>): unknown;
}

/**
 * Registers the whole suite with a test runner. Cases that need an optional part of the harness which is not there
 * are left out.
 * @example
 * import { describe, test } from "vitest"; // or "node:test"
 * import { describeStore } from "indoubt/testing";
 *
 * describeStore("my store", { open: async () => myStore(await freshDatabase()) }, { describe, test });
 */
export function describeStore(name: string, harness: StoreHarness, { describe, test }: StoreTestRunner): void {
  describe(`${name} keeps the promises of a store`, () => {
    for (const { name: sentence, requirement, needs, run } of storeSuite) {
      if (needs.some((part) => harness[part] === undefined)) continue;
      test(`${sentence} (${requirement})`, () => run(harness));
    }
  });
}
