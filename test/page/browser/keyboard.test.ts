/** The page by keyboard alone. */
import { expect, test } from "vitest";
import { ask, expectRows, focusedRow, live, useBrowser, visit } from "../support/browser.ts";
import { world } from "../support/world.ts";

useBrowser();

test("j and k walk, Enter opens, / searches, ? helps, u goes back, v leads to the verdict", async () => {
  const given = await world();
  const ids = [
    await given.waiting("charge_card"),
    await given.waiting("create_invoice"),
    await given.waiting("send_email"),
  ];
  const { tab } = await visit(given.page);
  await live(tab);
  await expectRows(tab, ids);
  const focused = () => focusedRow(tab);
  const press = (key: string) => tab.keyboard.press(key);

  await press("j");
  expect(await focused()).toBe(ids[0]);
  await press("j");
  await press("j");
  await press("j");
  expect(await focused()).toBe(ids[2]);
  await press("k");
  expect(await focused()).toBe(ids[1]);

  await press("?");
  expect(await tab.locator("#help").isVisible()).toBe(true);
  await press("j");
  await press("Escape");
  expect(await tab.locator("#help").isVisible()).toBe(false);
  expect(await focused()).toBe(ids[1]);

  await press("/");
  await tab.keyboard.type("jk?/u");
  expect(await tab.inputValue("#search")).toBe("jk?/u");
  expect(await tab.locator("#help").isVisible()).toBe(false);
  await press("Escape");
  await press("j");
  await press("j");
  await press("Enter");
  await tab.waitForURL(`**/items/${ids[1]}`);

  await press("v");
  expect(await ask(tab, "document.activeElement.name")).toBe("verdict");
  await tab.keyboard.press("Shift+Tab");
  await press("u");
  await tab.waitForURL(`${given.page.origin}/`);
});

test("a live change keeps the focus on the item that had it", async () => {
  const given = await world();
  const first = await given.waiting("charge_card");
  const second = await given.waiting("create_invoice");
  const { tab } = await visit(given.page);
  await live(tab);
  await tab.keyboard.press("j");
  await tab.keyboard.press("j");
  const { version } = await given.guard.queue.show(first);
  await given.guard.queue.resolve(first, { verdict: "abandon", version, actor: "finance", reason: "closed" });
  await expectRows(tab, [second]);
  expect(await focusedRow(tab)).toBe(second);
  expect(await tab.textContent("#said")).toContain("1 gone");
});

test("the skip link is the first stop and leads to the content", async () => {
  const given = await world();
  const { tab } = await visit(given.page);
  await tab.keyboard.press("Tab");
  expect(await ask(tab, "document.activeElement.textContent")).toBe("Skip to the content");
  await tab.keyboard.press("Enter");
  expect(await ask(tab, "document.activeElement.id")).toBe("main");
});
