/** One look serves everyone who shows the same, and nobody looks for nobody. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { liveLooks, type News } from "../../adapters/surfaces/page/live.ts";
import { IndoubtError } from "../../src/index.ts";

function ear() {
  const heard: News[] = [];
  return { heard, listener: (news: News) => void heard.push(news) };
}

test("two pages that show the same share their looks, hear each change once, and the last one ends the looking", async () => {
  let looks = 0;
  let signature = "a";
  const read = async () => {
    looks += 1;
    return signature;
  };
  const live = liveLooks(5);
  const [one, two] = [ear(), ear()];
  const stopOne = live.follow("list", read, one.listener);
  await expect.poll(() => one.heard.length).toBe(1);
  const stopTwo = live.follow("list", read, two.listener);
  expect(two.heard).toEqual([{ kind: "shown", signature: "a" }]);
  signature = "b";
  await expect.poll(() => two.heard.length).toBe(2);
  const before = looks;
  await expect.poll(() => looks).toBeGreaterThan(before + 3);
  expect(one.heard).toEqual(two.heard);
  stopOne();
  stopTwo();
  await sleep(20);
  const after = looks;
  await sleep(40);
  expect(looks).toBe(after);
  live.close();
});

test("a store that goes away and comes back is told, once each", async () => {
  let away = false;
  const read = async () => {
    if (away) throw new IndoubtError("STORE_UNAVAILABLE", "away");
    return "a";
  };
  const live = liveLooks(5);
  const { heard, listener } = ear();
  live.follow("list", read, listener);
  await expect.poll(() => heard.length).toBe(1);
  away = true;
  await expect.poll(() => heard.length).toBe(2);
  away = false;
  await expect.poll(() => heard.length).toBe(3);
  expect(heard.map(({ kind }) => kind)).toEqual(["shown", "away", "shown"]);
  live.close();
  expect(live.closing.aborted).toBe(true);
});
