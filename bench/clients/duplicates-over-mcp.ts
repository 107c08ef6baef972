/** What becomes of a write over MCP whose reply is lost: every client as people have it, and behind indoubt. */

import { randomUUID } from "node:crypto";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { type Step, startFaultServer } from "../../adapters/testing/index.ts";
import { createGuard, type Guard, type Outcome, withCallContext } from "../../src/index.ts";
import type { DuplicatesRow } from "../lib/duplicates-row.ts";
import { SUCCESS } from "./asking.ts";
import { type McpSubject, SERVER, TIMEOUT } from "./subject.ts";

interface McpFault {
  readonly name: string;
  /** Of the first request; later ones are answered. */
  readonly step: Step;
}

export const MCP_FAULTS: readonly McpFault[] = [
  { name: "the connection breaks after the write", step: { reply: "reset" } },
  { name: "no answer in time", step: { reply: "never" } },
  { name: "a gateway says 504 after the write", step: { reply: { status: 504, when: "after" } } },
  {
    name: "the server says 'internal error' after the write",
    step: { reply: { rpcError: { code: -32603, message: "internal error" } } },
  },
  { name: "the connection breaks before the write", step: { commit: "before_accept_fails" } },
];

const OPERATIONS = 4;

export async function measureOverMcp(subject: McpSubject, fault: McpFault, guarded: boolean): Promise<DuplicatesRow> {
  const server = await startFaultServer();
  const tools = { create_invoice: { identityArgs: ["/order"] } };
  const servers = { [SERVER]: { deadline: TIMEOUT, tools } };
  const guard = guarded
    ? createGuard({ store: memoryStore(), secret: "the benchmark has no secrets", sweepEvery: "1h", servers })
    : undefined;
  const session = await subject.open(server.url, guard);
  const all: Ended[] = [];
  // Peers keep what they know in a store of their own, by this name.
  const run = randomUUID().slice(0, 8);
  for (let n = 0; n < OPERATIONS; n += 1) {
    const order = `o-${run}-${n}`;
    server.plan("create_invoice", fault.step, {});
    const { read, operation } = await runOne(() => session.run(order));
    const effects = server.log.effects("create_invoice").filter((effect) => effect.arguments.order === order).length;
    all.push({ effects, done: SUCCESS.test(read), ...(await known(subject, guard, order, operation)) });
  }
  await session.close().catch(() => {});
  await guard?.close({ within: 0 });
  await server.close();
  return rowOf(subject, fault, guarded, all);
}

interface Ended {
  readonly effects: number;
  readonly done: boolean;
  readonly onRecord: boolean;
  readonly inQueue: boolean;
}

async function runOne(run: () => Promise<string>) {
  let operation = "";
  const onOutcome = (outcome: Outcome): void => {
    operation = outcome.operation || operation;
  };
  const read = await withCallContext({ onOutcome }, run).catch(String);
  return { read, operation };
}

async function known(
  subject: McpSubject,
  guard: Guard | undefined,
  order: string,
  operation: string,
): Promise<Pick<Ended, "onRecord" | "inQueue">> {
  if (!guard) return { onRecord: (await subject.isOnRecord?.(order)) ?? false, inQueue: false };
  if (operation === "") return { onRecord: false, inQueue: false };
  const { state } = await guard.queue.show(operation);
  return { onRecord: true, inQueue: state === "uncertain" || state === "unresolved" };
}

function rowOf(subject: McpSubject, fault: McpFault, guarded: boolean, all: readonly Ended[]): DuplicatesRow {
  const count = (matches: (one: Ended) => boolean) => all.filter(matches).length;
  return {
    fault: fault.name,
    client: subject.name,
    guarded,
    wanted: OPERATIONS,
    effects: all.reduce((sum, { effects }) => sum + effects, 0),
    lost: count(({ effects, inQueue }) => effects === 0 && !inQueue),
    stuck: count(({ done, inQueue }) => !done && !inQueue),
    invisible: count(({ effects, onRecord }) => effects > 0 && !onRecord),
    wrong: count(({ effects, done }) => effects > 1 || (done && effects === 0)),
  };
}
