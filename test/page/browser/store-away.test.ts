/** D6: a real Redis goes away and comes back while pages are open. */
import { expect, test } from "vitest";
import { expectRows, live, useBrowser, visit } from "../support/browser.ts";
import { world } from "../support/world.ts";

useBrowser();

test("an open list says that the store is away, keeps what it showed, and is up to date when the store is back", async () => {
  const given = await world({ store: "redis", guard: { lease: 1_000 } });
  const first = await given.waiting("charge_card");
  const { tab } = await visit(given.page);
  await live(tab);
  await given.redis?.stop();
  await tab.waitForSelector('#pulse[data-state="away"]', { timeout: 15_000 });
  expect(await tab.textContent("#notice")).toContain("The store is away since");
  await expectRows(tab, [first]);

  const [loaded] = await Promise.all([tab.waitForResponse(/audit/), tab.click("text=Audit")]);
  expect(loaded.status()).toBe(503);
  expect(await tab.textContent("h1")).toBe("The store is away");

  await given.redis?.restart();
  await tab.waitForSelector(".journal, .empty", { timeout: 20_000 });
  await tab.click("text=Queue");
  await live(tab);
  await given.redis?.stop();
  await tab.waitForSelector('#pulse[data-state="away"]', { timeout: 15_000 });
  await given.redis?.restart();
  await tab.waitForSelector('#pulse[data-state="live"]', { timeout: 20_000 });
  const second = await given.waiting("create_invoice");
  await expectRows(tab, [first, second]);
}, 90_000);

test("a decision that the store did not take is kept and sent again: it counts once", async () => {
  const given = await world({ store: "redis" });
  const id = await given.waiting("charge_card");
  const { tab } = await visit(given.page);
  await tab.goto(`${given.page.origin}/items/${id}`);
  await tab.check('input[value="applied"]');
  await tab.fill('textarea[name="reason"]', "seen in the ledger");
  await given.redis?.stop();
  const [answer] = await Promise.all([
    tab.waitForResponse((response) => response.request().method() === "POST"),
    tab.click("text=Record the verdict"),
  ]);
  expect(answer.status()).toBe(503);
  await tab.waitForSelector("text=The store is away");
  expect(await tab.textContent("main")).toContain("seen in the ledger");
  await given.redis?.restart();
  await tab.waitForSelector("text=The store is back.", { timeout: 20_000 });
  await tab.click("text=Send the same decision again");
  await tab.waitForSelector(".done");
  const { state, audit } = await given.guard.queue.show(id);
  expect(state).toBe("applied");
  expect(audit.filter(({ reason }) => reason === "seen in the ledger")).toHaveLength(1);
}, 60_000);
