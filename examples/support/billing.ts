/** The demo's billing server for the other examples: in a child process, its files in a folder of their own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { type Billing, startBilling } from "../../adapters/surfaces/demo/index.ts";

/** @param lose the tools whose first reply gets lost */
export function billingServer(lose: readonly string[] = []): Promise<Billing> {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-example-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return startBilling(folder, lose);
}

export async function connectBilling(lose: readonly string[] = []): Promise<Client> {
  return (await billingServer(lose)).client;
}
