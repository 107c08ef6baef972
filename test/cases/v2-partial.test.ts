/** V2: some items or steps landed, others did not, or not yet. */
import { expect, onTestFinished, test } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { createGuard, type Guard, guardFunction, partial, type ToolOptions, withCallContext } from "../../src/index.ts";
import { INVOICE, inTurn, kinds, overHttp, QUICK, sleep } from "./harness.ts";
import { byOrder } from "./tools.ts";

const SERVER = "tasks.acme";
const ITEMS = ["milk", "bread", "eggs"];

/** A bulk tool that commits item by item, the last one late, and whose answer is lost. */
function bulkList(more: Partial<ToolOptions> = {}) {
  const landed: string[] = [];
  const arrivals: (readonly string[])[] = [];
  const look: ToolOptions["reconcile"] = {
    look: ({ arguments: { items = [] } }) =>
      partial({
        items: (items as string[]).map((item) => ({ item, verdict: landed.includes(item) ? "applied" : "absent" })),
      }),
    settle: 300,
    staleness: 1,
  };
  const add = { reconcile: look, settle: 300, deadline: 40, ...more } as const;
  const guard = createGuard({
    store: memoryStore(),
    secret: "a secret of the incident cases",
    sweepEvery: "1h",
    servers: { [SERVER]: { tools: { add } } },
  });
  onTestFinished(() => guard.close({ within: 0 }));
  const call = guardFunction(guard, { server: SERVER, tool: "add" }, ({ items }: { items: readonly string[] }) => {
    arrivals.push(items);
    for (const item of items) if (item !== "eggs") landed.push(item);
    if (items.length > 1) return new Promise<never>(() => {});
    landed.push(...items.filter((item) => item === "eggs"));
    return Promise.resolve({ added: items.length });
  });
  return { guard, call, landed, arrivals };
}

async function until(guard: Guard, id: string, state: string) {
  for (let turn = 0; turn < 300; turn += 1) {
    await guard.sweep();
    const item = await guard.queue.show(id);
    if (item.state === state) return item;
    await sleep(20);
  }
  throw new Error(`${id} did not get to ${state}`);
}

test("V2-01 two of three items landed: no verdict while the third may still come", async () => {
  const { guard, call, landed, arrivals } = bulkList();
  const { operation, kind } = await call({ items: ITEMS });
  expect(kind).toBe("uncertain");
  await sleep(100);
  await guard.sweep();
  expect((await guard.queue.show(operation)).state).toBe("uncertain");
  landed.push("eggs");
  const item = await until(guard, operation, "partial");
  expect(item.items?.map(({ verdict }) => verdict)).toEqual(["applied", "applied", "applied"]);
  expect(arrivals).toHaveLength(1);
});

test("V2-01 what is missing in the end is told item by item; the batch is not sent again, a call for the rest passes", async () => {
  const { guard, call, landed, arrivals } = bulkList();
  const { operation } = await call({ items: ITEMS });
  const item = await until(guard, operation, "partial");
  expect(item.items).toEqual([
    { item: "milk", verdict: "applied" },
    { item: "bread", verdict: "applied" },
    { item: "eggs", verdict: "absent" },
  ]);
  expect(item.next).toMatch(/Repair the missing items with a new operation/);
  expect((await guard.queue.list()).items).toMatchObject([{ id: operation, state: "partial" }]);

  const again = await call({ items: ITEMS });
  expect([again.kind, again.operation]).toEqual(["partial", operation]);
  const rest = await call({ items: ["eggs"] });
  expect([rest.kind, arrivals.length, landed]).toEqual(["succeeded", 2, ITEMS]);
  const { version } = await guard.queue.show(operation);
  const closed = { to: "partial", version, actor: "ann", reason: "eggs were added by a call of their own" } as const;
  await guard.queue.correct(operation, closed);
  expect((await guard.queue.list()).items).toEqual([]);
});

test("V2-02 a batch in doubt does not stop the next ones, and is looked up later", async () => {
  const given = await overHttp({
    script: { create_invoice: [{}, {}, { reply: "reset" }, {}, {}, { reply: "reset" }, {}, {}] },
    destination: { failReads: 2 },
    policy: { create_invoice: { identityArgs: ["/order"], reconcile: { look: byOrder, settle: 200, staleness: 50 } } },
  });
  const said = await inTurn(8, (n) => given.call("create_invoice", { ...INVOICE, order: `o-${n}` }));
  expect(kinds(said)).toEqual([
    ...["succeeded", "succeeded", "uncertain", "succeeded", "succeeded", "uncertain", "succeeded", "succeeded"],
  ]);
  for (const { outcome, kind } of said) {
    if (kind === "uncertain") await given.until(outcome.operation, "applied");
  }
  expect([given.arrivals("create_invoice"), given.effects("create_invoice").length]).toEqual([8, 8]);
  expect(await given.queue()).toEqual([]);
});

test("V2-03 an action of two steps is repeated: the step that was done is recalled, the other one runs", async () => {
  const arrivals: string[] = [];
  let declines = 1;
  const rule = { at: "/structuredContent/code", equals: "busy", means: "no_effect" } as const;
  const guard = createGuard({
    store: memoryStore(),
    secret: "a secret of the incident cases",
    servers: { [SERVER]: { tools: { branch: QUICK, ticket: { ...QUICK, toolErrors: [rule] } } } },
  });
  onTestFinished(() => guard.close({ within: 0 }));
  const step = (tool: string) =>
    guardFunction(guard, { server: SERVER, tool }, async () => {
      arrivals.push(tool);
      if (tool === "ticket" && declines-- > 0)
        return { isError: true, content: [], structuredContent: { code: "busy" } };
      return { content: [{ type: "text", text: `${tool} made` }] };
    });
  // A step that was declined is another wanted effect when it is tried anew; a step that was done is not.
  const action = async (ids: readonly string[]) => {
    const outcomes = [];
    for (const operationId of ids) {
      const tool = operationId.split("/")[1] ?? "";
      outcomes.push(await withCallContext({ operationId }, () => step(tool)({ release: 7 })));
    }
    return outcomes.map(({ kind, recalled }) => (recalled ? `${kind}, recalled` : kind));
  };
  expect(await action(["release-7/branch", "release-7/ticket/1"])).toEqual(["succeeded", "rejected"]);
  const second = await action(["release-7/branch", "release-7/ticket/2"]);
  expect(second[0]).toBe("succeeded, recalled");
  expect(arrivals.filter((tool) => tool === "branch")).toHaveLength(1);
  expect([second[1], arrivals.at(-1)]).toEqual(["succeeded", "ticket"]);
});
