/** The demo's billing server as the destination: its own file is the judge. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { guardClient } from "../../../adapters/mcp/index.ts";
import { createGuard, type JsonObject } from "../../../src/index.ts";
import { bundledCommand } from "./bundle.ts";
import type { Place } from "./store.ts";

export interface Billing {
  /** How a configuration file reaches it. */
  readonly command: string;
  readonly args: readonly string[];
  effects(): { readonly id: string; readonly kind: string; readonly order: string }[];
}

export async function billingIn(cwd: string): Promise<Billing> {
  const folder = join(cwd, "billing");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "effects.jsonl");
  return {
    command: process.execPath,
    args: [join(dirname(await bundledCommand()), "demo-server.js"), "--folder", folder],
    effects: () =>
      existsSync(file)
        ? readFileSync(file, "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        : [],
  };
}

/** A program that calls a tool, hears nothing, and ends. @returns the id of the operation in doubt */
export async function loseReply(place: Place, billing: Billing, tool: string, args: JsonObject): Promise<string> {
  const tools = {
    [tool]: { deadline: 300, settle: 200, reconcile: () => ({ kind: "unclear" as const, reason: "not here" }) },
  };
  const guard = createGuard({ store: place.open(), servers: { billing: { tools } }, sweepEvery: 600_000 });
  const client = guardClient(guard, "billing", new Client({ name: "agent", version: "1.0.0" }));
  const losing = [...billing.args, "--lose", tool];
  await client.connect(new StdioClientTransport({ command: billing.command, args: losing }));
  const { operation } = await client.perform({ name: tool, arguments: args });
  await guard.close({ within: 0 });
  await client.close();
  return operation ?? "";
}

/** Hooks are code, so the configuration is a module. */
export function writeHookConfig(cwd: string, { command, args }: Billing): void {
  const server = JSON.stringify({ command, args }).slice(1, -1);
  writeFileSync(
    join(cwd, "indoubt.config.mjs"),
    `export default {
  store: "sqlite:./indoubt.db",
  sweepEvery: "50ms",
  servers: { billing: { ${server}, tools: {
    find_invoice: { effect: "read" },
    charge_card: { settle: "50ms" },
    create_invoice: { identityArgs: ["/order"], settle: "200ms", reconcile: async (intent, { call }) => {
      const { structuredContent } = await call("find_invoice", { order: intent.arguments.order });
      const [found, ...more] = structuredContent.invoices;
      return found ? { kind: "applied", ref: found.id, count: 1 + more.length } : { kind: "absent" };
    } },
  } } },
};
`,
  );
}

/** The same as data. */
export function writeProbeConfig(
  cwd: string,
  { command, args }: Billing,
  store: object = { store: "./indoubt.db" },
): void {
  const create_invoice = {
    identityArgs: ["/order"],
    reconcile: {
      tool: "find_invoice",
      arguments: { order: "{{arguments/order}}" },
      found: { at: "/structuredContent/invoices", where: { "/order": "{{arguments/order}}" }, ref: "/id" },
      settle: "200ms",
    },
  };
  const tools = { find_invoice: { effect: "read" }, create_invoice };
  const config = { ...store, sweepEvery: "50ms", servers: { billing: { command, args, tools } } };
  writeFileSync(join(cwd, "indoubt.config.json"), JSON.stringify(config));
}
