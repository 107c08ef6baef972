/** The guard of each process of these tests: one file, one secret, short limits. */
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import type { Store } from "../../../src/entries/store.ts";
import { createGuard, type Guard } from "../../../src/index.ts";

export function openHost(file: string): { readonly guard: Guard; readonly store: Store } {
  const store = sqliteStore({ file });
  const guard = createGuard({
    store,
    secret: "a secret of the tasks",
    sweepEvery: "1h",
    lease: 500,
    servers: { "billing.acme": { deadline: 30_000, tools: { create_invoice: { settle: 200 } } } },
  });
  return { guard, store };
}
