import { copyFileSync, rmSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { sqliteStore } from "../../adapters/stores/sqlite/index.ts";
import { createGuard, type Guard, guardFunction, type Outcome, withCallContext } from "../../src/index.ts";
import { newFile } from "../stores/sqlite/support.ts";
import { SECRET } from "./support.ts";

const open: Guard[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((guard) => guard.close()));
});

const removed = (file: string): void => {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
};

/** A program on the file, whose bank counts. */
function program(file: string, effects: string[], secret?: string) {
  const guard = createGuard({ store: sqliteStore({ file }), ...(secret !== undefined && { secret }) });
  open.push(guard);
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, async ({ order }: { order: string }) => {
    effects.push(order);
    return { paid: order };
  });
  return (order: string): Promise<Outcome> => withCallContext({ operationId: order }, () => pay({ order }));
}

it("I10: where file and secret are removed under a running program, the next program finds what the first has sent since", async () => {
  const file = newFile();
  const effects: string[] = [];
  const first = program(file, effects);
  await first("order-1");
  removed(file);
  rmSync(`${file}.secret`);
  await first("order-2");

  expect(await program(file, effects)("order-2")).toMatchObject({ kind: "succeeded", recalled: true });
  expect(effects).toEqual(["order-1", "order-2"]);
});

it("I11: a running program sends nothing on a file of another secret that was put in the place of its own", async () => {
  const file = newFile();
  const other = newFile();
  const effects: string[] = [];
  await program(other, effects, `${SECRET}, another one`)("order-1");
  const first = program(file, effects, SECRET);
  await first("order-2");
  removed(file);
  copyFileSync(other, file);
  copyFileSync(`${other}-wal`, `${file}-wal`);

  await expect(first("order-3")).rejects.toMatchObject({ code: "STORE_INCOMPATIBLE" });
  expect(effects).toEqual(["order-1", "order-2"]);
});
