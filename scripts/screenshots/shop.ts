/** Three days of a shop whose agents write through four servers, some of which lose their answers. */

import type { Verdict } from "../../src/entries/queue.ts";
import type { Store } from "../../src/entries/store.ts";
import type { WireEvidence } from "../../src/entries/wire.ts";
import { absent, applied, contract, createGuard, type Guard, type JsonObject, unclear } from "../../src/index.ts";
import { callTool } from "../../test/page/support/calls.ts";
import type { SetClock } from "../../test/page/support/clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export interface Shop {
  readonly guard: Guard;
  /** The operation whose page is shown. */
  readonly told: string;
}

const QUICK = { deadline: "20s", settle: "2m" } as const;

/** What the ledger shows; the hook looks here. */
const ledger = new Map<string, string>();

function guardOf(store: Store, clock: SetClock): Guard {
  return createGuard({
    store,
    clock,
    sweepEvery: "24h",
    servers: {
      billing: {
        tools: {
          charge_card: QUICK,
          create_invoice: {
            ...QUICK,
            identityArgs: ["/order"],
            reconcile: async ({ arguments: { order } }) => {
              const ref = ledger.get(String(order));
              return ref === undefined ? absent() : applied({ ref });
            },
          },
          refund: {
            ...QUICK,
            settle: "10m",
            identityArgs: ["/payment"],
            contract: contract({
              dedupes: "key",
              key: { argument: "/idempotency_key" },
              window: "24h",
              concurrent: "joined",
              mismatch: "ignored",
              replaysErrors: false,
              scope: { caller: "shop", downstream: "included" },
              review: { source: "https://billing.example.com/docs/idempotency", by: "on-call", on: "2026-11-02" },
            }),
            reconcile: { look: async () => unclear("The ledger answered 503: maintenance until noon"), maxProbes: 4 },
          },
        },
      },
      mail: { tools: { send_email: QUICK } },
      github: { tools: { create_issue: QUICK, merge_pull_request: QUICK } },
      warehouse: { tools: { book_shipment: QUICK } },
    },
  });
}

export async function playShop(store: Store, clock: SetClock): Promise<Shop> {
  const guard = guardOf(store, clock);
  const { call, sweepAt, decide, late } = handsOf(guard, clock);

  for (let order = 2_240; order < 2_252; order++) {
    if (order % 4 !== 0) ledger.set(String(order), `inv_${order}`);
    await call((70 - (order - 2_240)) * HOUR, ["billing", "create_invoice"], { order: String(order), cents: 4_900 });
  }
  const charge = await call(55 * HOUR, ["billing", "charge_card"], { customer: "cus_1017", cents: 4_900 });
  await decide(
    charge,
    54 * HOUR,
    "applied",
    "Charge ch_3Pq81 stands in the ledger at 09:12, with this order in its note.",
  );
  const mail = await call(49 * HOUR, ["mail", "send_email"], { to: "ops@example.com", subject: "Stock report" });
  await decide(mail, 44 * HOUR, "abandon", "Nobody can tell whether the relay sent it, and the report is old by now.");
  await call(38 * HOUR, ["mail", "send_email"], { to: "finance@example.com", subject: "Invoice 2251 is overdue" });
  await call(9.2 * HOUR, ["github", "merge_pull_request"], { repository: "acme/shop", number: 418, method: "squash" });
  await late(7 * HOUR, ["warehouse", "book_shipment"], { order: "2291", carrier: "DHL", kilograms: 4.2 });
  const told = await call(3 * HOUR, ["billing", "refund"], REFUND);
  for (const minutes of [6, 9, 14, 20]) await sweepAt(3 * HOUR - minutes * MINUTE);
  await call(96 * MINUTE, ["github", "create_issue"], {
    repository: "acme/shop",
    title: "Checkout fails on a second try",
  });
  await call(14 * MINUTE, ["billing", "charge_card"], { customer: "cus_1188", cents: 2_500 });
  await call(90_000, ["billing", "refund"], { ...REFUND, payment: "pay_97" }, { sweep: false });
  await sweepAt(30_000);
  await sweepAt(0);
  return { guard, told };
}

const REFUND = {
  payment: "pay_81",
  cents: 12_900,
  currency: "EUR",
  note: "Order 2291 came back",
  api_key: "sk_live_51Hx",
};

/** What the agents and the people of the shop do, so many ms before now. */
function handsOf(guard: Guard, clock: SetClock) {
  async function sweepAt(before: number): Promise<void> {
    clock.before(Math.max(0, before));
    for (let turn = 0; turn < 3; turn++) await guard.sweep();
  }

  async function decide(id: string, before: number, verdict: Verdict, reason: string): Promise<void> {
    clock.before(before);
    const { version } = await guard.queue.show(id);
    await guard.queue.resolve(id, { verdict, version, actor: verdict === "applied" ? "on-call" : "finance", reason });
  }

  /** A call without an answer. */
  async function call(before: number, tool: Tool, args: JsonObject, { sweep = true } = {}): Promise<string> {
    clock.before(before);
    const { operation } = await callTool(guard, tool, args);
    if (sweep) await sweepAt(before - 3 * MINUTE);
    return operation;
  }

  /** Called "not applied" by a person, and then an answer comes after all: a conflict. */
  async function late(before: number, tool: Tool, args: JsonObject): Promise<void> {
    clock.before(before);
    let answer: (evidence: WireEvidence) => void = () => {};
    const evidence = new Promise<WireEvidence>((resolve) => {
      answer = resolve;
    });
    const { operation } = await callTool(guard, tool, args, { evidence, deadline: 300 });
    await sweepAt(before - 4 * MINUTE);
    await decide(
      operation,
      before - 50 * MINUTE,
      "not_applied",
      "The carrier's portal shows no shipment for order 2291.",
    );
    clock.before(before - 53 * MINUTE);
    answer({ kind: "result", result: { content: [{ type: "text", text: "booked as SHP-7731" }] } });
    await new Promise((resolve) => setTimeout(resolve, 300));
  }

  return { sweepAt, decide, call, late };
}

type Tool = readonly [server: string, tool: string];
