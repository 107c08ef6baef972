/** A probe that calls a read tool of the same server: what `reconcile: { tool, … }` says in a configuration, in code. */
import type { ProbeOptions } from "../../../src/index.ts";

/**
 * @param options the tool, its arguments with places to fill in, and which part of the answer is the effect
 * @example
 * reconcile: toolProbe({
 *   tool: "find_invoice",
 *   arguments: { reference: "{{key}}" },
 *   found: { at: "/structuredContent/invoices", where: { "/reference": "{{key}}" }, ref: "/id" },
 *   settle: "30s",
 * })
 */
export const toolProbe = (options: ProbeOptions): ProbeOptions => options;
