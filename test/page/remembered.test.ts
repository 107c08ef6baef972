/** The charts are made from many records: one reading serves all who look within some seconds. */
import { expect, test } from "vitest";
import { remembered } from "../../adapters/surfaces/page/remembered.ts";
import type { Store } from "../../src/entries/store.ts";
import { visitor } from "./support/visitor.ts";
import { world } from "./support/world.ts";

test("charts that many look at are read once", async () => {
  let reads = 0;
  const counting = (store: Store): Store => ({
    ...store,
    journal: (request) => {
      reads += 1;
      return store.journal(request);
    },
  });
  const { page, waiting } = await world({ wrap: counting });
  await waiting("charge_card");
  const someone = visitor(page);
  await someone.signIn();
  const first = await someone.get("/charts");
  const once = reads;
  expect([first.status, once > 0]).toEqual([200, true]);
  const all = await Promise.all(Array.from({ length: 20 }, () => someone.get("/charts")));
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(reads).toBe(once);
});

test("it is read again after a while, after a failure, and when the clock was set back", async () => {
  let now = 10_000;
  let reads = 0;
  let fails = false;
  const read = remembered(
    async () => {
      reads += 1;
      if (fails) throw new Error("the store is away");
      return reads;
    },
    5_000,
    () => now,
  );
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  now += 4_999;
  expect(await read()).toBe(1);
  now += 1;
  expect(await read()).toBe(2);
  now -= 60_000;
  expect(await read()).toBe(3);
  now += 5_000;
  fails = true;
  await expect(Promise.all([read(), read()])).rejects.toThrow("away");
  expect(reads).toBe(4);
  fails = false;
  expect(await read()).toBe(5);
});
