/** The end of a session while a page is open. */
import { expect, test } from "vitest";
import { ask, live, useBrowser, visit } from "../support/browser.ts";
import { world } from "../support/world.ts";

useBrowser();

test("an open page says that the session has ended, keeps what was typed, and leads back after the sign-in", async () => {
  const given = await world({ page: { sessionFor: 4_000 } });
  const id = await given.waiting("charge_card");
  const { tab } = await visit(given.page);
  await tab.goto(`${given.page.origin}/items/${id}`);
  await live(tab);
  await tab.fill('textarea[name="reason"]', "half a sentence");
  await tab.waitForSelector("text=Your session has ended.", { timeout: 15_000 });
  expect(await tab.inputValue('textarea[name="reason"]')).toBe("half a sentence");
  await tab.click("text=Sign in again");
  await tab.waitForSelector('input[name="token"]');
  const token = new URL(given.page.invite()).searchParams.get("token") ?? "";
  await tab.fill('input[name="token"]', token);
  await tab.keyboard.press("Enter");
  await tab.waitForURL(`${given.page.origin}/items/${id}`);
  expect(await ask(tab, "history.length")).toBeGreaterThan(1);
  expect(tab.url()).not.toContain(token);
});

test("without the script every page works: filter, decide, and read the verdict", async () => {
  const given = await world();
  const id = await given.waiting("charge_card");
  await given.waiting("send_email");
  const { tab } = await visit(given.page, { javaScriptEnabled: false });
  await tab.fill("#search", "charge_card");
  await tab.click("text=Search");
  await tab.click(`[data-key="${id}"] a`);
  await tab.check('input[value="abandon"]');
  await tab.fill('textarea[name="reason"]', "Nobody knows");
  await tab.click("text=Record the verdict");
  await tab.waitForSelector(".done");
  expect((await given.guard.queue.show(id)).state).toBe("abandoned");
});
