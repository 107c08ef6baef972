/** The same lost reply four times: with a plain client, and with indoubt knowing more and less about the tool. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import pRetry from "p-retry";
import { absent, applied, contract, createGuard, type Guard, toolFingerprint } from "../../../src/index.ts";
import { guardClient } from "../../mcp/index.ts";
import { sqliteStore } from "../../stores/sqlite/index.ts";
import { type Reading, runAgent, type Task } from "./agent.ts";
import type { Billing } from "./billing.ts";
import type { Screen } from "./screen.ts";

export interface Result {
  /** Tool calls that the agent's side made. */
  readonly calls: number;
  /** Requests that reached the server. */
  readonly sent: number;
  /** Effects in the server's own file. */
  readonly effects: number;
}

interface Scene {
  readonly billing: Billing;
  readonly screen: Screen;
  readonly order: string;
}

/** How it is usually done: a timeout, and p-retry around the call. */
export async function plain({ billing, screen, order }: Scene): Promise<Result> {
  const task: Task = { tool: "create_invoice", arguments: { order, cents: 9000 } };
  let calls = 0;
  const once = async () => {
    calls += 1;
    return read(
      await billing.client.callTool({ name: task.tool, arguments: task.arguments }, undefined, { timeout: 1_000 }),
    );
  };
  const onFailedAttempt = () => screen.line("p-retry", "hears nothing for 1 s, sends it again");
  await runAgent(task, () => pRetry(once, { retries: 3, minTimeout: 100, onFailedAttempt }), { billing, screen });
  return { calls, sent: sent(billing, task), effects: billing.effects("invoice") };
}

/** With a hook: in doubt, the guard looks at the destination. */
export function withHook(scene: Scene, client: Client): Promise<Result> {
  return guarded(scene, client, "create_invoice", "invoice");
}

/** Nothing is known about the tool: in doubt, the guard holds whatever would do it again, and a person decides. */
export function withoutHook(scene: Scene, client: Client): Promise<Result> {
  return guarded(scene, client, "charge_card", "charge");
}

/** The destination promises to collapse repeats of a key: in doubt, the guard sends again with the same key. */
export function withContract(scene: Scene, client: Client): Promise<Result> {
  return guarded(scene, client, "create_payment", "payment");
}

async function guarded(
  { billing, screen, order }: Scene,
  client: Client,
  tool: string,
  kind: "invoice" | "charge" | "payment",
): Promise<Result> {
  const task: Task = { tool, arguments: { order, cents: 9000 } };
  let calls = 0;
  const call = async () => {
    calls += 1;
    return read(await client.callTool({ name: tool, arguments: task.arguments }));
  };
  await runAgent(task, call, { billing, screen });
  return { calls, sent: sent(billing, task), effects: billing.effects(kind) };
}

/** What the operator declares. @param reviewed the tool definition that the operator looked at */
export function billingGuard(file: string, reviewed: Tool): Guard {
  return createGuard({
    store: sqliteStore({ file }),
    deadline: "2s",
    servers: {
      billing: {
        tools: {
          find_invoice: { effect: "read" },
          create_invoice: {
            identityArgs: ["/order"],
            reconcile: async (intent, { call }) => {
              const { structuredContent } = await call("find_invoice", { order: intent.arguments.order ?? null });
              const { invoices } = structuredContent as { invoices: { id: string }[] };
              return invoices[0] ? applied({ ref: invoices[0].id, count: invoices.length }) : absent();
            },
          },
          charge_card: { deadline: "1s", settle: "1s" },
          create_payment: {
            identityArgs: ["/order"],
            contract: contract({
              dedupes: "key",
              key: { argument: "/idempotency_key" },
              window: "24h",
              concurrent: "joined",
              mismatch: "ignored",
              replaysErrors: false,
              scope: { caller: "demo", downstream: "included" },
              review: { source: "adapters/surfaces/demo/server.ts", by: "you", on: "2026-11-30" },
              pin: { tool: toolFingerprint(reviewed) },
            }),
          },
        },
      },
    },
  });
}

/** Three lines: the client, the guard, and what comes out is a client. */
export async function guardBilling(guard: Guard, billing: Billing): Promise<Client> {
  const client = guardClient(guard, "billing", billing.client);
  await client.listTools();
  await guard.start();
  return client;
}

/** Tells what the guard does, as it happens. */
export function narrate(guard: Guard, screen: Screen): void {
  guard.on("transition", ({ row }) => {
    if (row === "doubt") screen.line("indoubt", "no answer in time: in doubt, on record");
    if (row === "resend") screen.line("indoubt", "a contract covers this tool: sends it again with the same key");
  });
  guard.on("observed", ({ observation }) => screen.line("indoubt", `looks by the hook: ${observation}`));
  guard.on("outcome", ({ heldBy }) => {
    if (heldBy !== undefined) screen.line("indoubt", "the first call is still in doubt: holds this one, sends nothing");
  });
}

const sent = (billing: Billing, task: Task) => billing.requests().filter(({ tool }) => tool === task.tool).length;

function read(result: unknown): Reading {
  const { content, isError = false } = result as CallToolResult;
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join(" ");
  return { text, isError };
}
