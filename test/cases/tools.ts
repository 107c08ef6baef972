/** Tools, hooks and contracts that several cases share. */
import { DEFAULT_TOOLS } from "../../adapters/testing/fault/tools.ts";
import type { FaultTool } from "../../adapters/testing/index.ts";
import {
  absent,
  applied,
  type Contract,
  type ContractInput,
  contract,
  type ReconcileHook,
  toolFingerprint,
} from "../../src/index.ts";
import { objectsIn } from "./harness.ts";

const anyObject = { type: "object" } as const;

export const write = (name: string): FaultTool => ({ effect: "write", name, inputSchema: anyObject });
/** Finds the effects of a write tool, as `found`. */
export const read = (name: string, of: string): FaultTool => ({
  effect: "read",
  name,
  of,
  as: "found",
  inputSchema: anyObject,
});

/** Looks an invoice up by its order, which identifies it; more than one is said. */
export const byOrder: ReconcileHook = async (intent, { call }) => {
  const found = objectsIn(await call("find_invoice", { order: intent.arguments.order ?? "" }), "invoices");
  return found[0] ? applied({ ref: String(found[0].id), count: found.length }) : absent();
};

/** A reviewed promise that the destination of `tool` collapses repeats of a key in `/idempotency_key`. */
export function reviewed(tool: FaultTool, more: Partial<ContractInput> = {}): Contract {
  return contract({
    dedupes: "key",
    key: { argument: "/idempotency_key" },
    window: "24h",
    concurrent: "rejected",
    mismatch: "rejected",
    replaysErrors: false,
    scope: { caller: "acme", downstream: "included" },
    review: { source: "https://billing.acme.example/docs", by: "an operator", on: "2026-11-30" },
    pin: { tool: toolFingerprint(tool) },
    ...more,
  });
}

/** The destination that keeps that promise. */
export const HONOURS_KEYS = { nativeKey: { from: { argument: "idempotency_key" } } } as const;

/** The fault server's own `create_invoice`, as it publishes it. */
export const INVOICE_TOOL = DEFAULT_TOOLS.find(({ name }) => name === "create_invoice") as FaultTool;
