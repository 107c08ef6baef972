/** C06, S07: an operator's work in a real browser, on both stores: find, understand, decide, look back. */
import { describe, expect, test } from "vitest";
import { expectRows, live, useBrowser, visit } from "../support/browser.ts";
import { STORES, world } from "../support/world.ts";

useBrowser();

describe.each(STORES)("on %s", (store) => {
  test("what reaches the queue appears by itself, is found by a filter in the URL, and a verdict is on record", async () => {
    const given = await world({ store });
    const first = await given.waiting("charge_card", { order: "o-1", memo: "for the <b>blue</b> lamp" });
    const { tab, misdeeds } = await visit(given.page);
    await live(tab);
    await expectRows(tab, [first]);
    const second = await given.waiting("create_invoice", { order: "o-2" });
    await expectRows(tab, [first, second]);

    await tab.fill("#search", "blue");
    await tab.keyboard.press("Enter");
    await tab.waitForURL(/\?text=blue$/);
    await expectRows(tab, [first]);
    await tab.click(`[data-key="${first}"] a`);
    await tab.waitForURL(`**/items/${first}`);
    expect(await tab.textContent("main")).toContain("for the <b>blue</b> lamp");

    await tab.check('input[name="verdict"][value="applied"]');
    await tab.fill('textarea[name="reason"]', "It stands in the ledger");
    await tab.fill('input[name="ref"]', "ch_42");
    await tab.click("text=Record the verdict");
    await tab.waitForSelector(".done");
    expect(await tab.textContent(".done")).toContain("It is applied now");
    const detail = await given.guard.queue.show(first);
    expect(detail).toMatchObject({ state: "applied", ref: "ch_42" });
    expect(detail.audit.at(-1)).toMatchObject({ actor: "on-call", reason: "It stands in the ledger" });

    await tab.click("text=Audit");
    await tab.waitForSelector(".journal");
    expect(await tab.textContent(".journal")).toMatch(/on-call[\s\S]*It stands in the ledger/);
    expect(misdeeds).toEqual([]);
  });

  test("W2-01 a second browser was faster: the first sees it, is refused, is shown what happened, and keeps its words", async () => {
    const given = await world({ store });
    const id = await given.waiting("charge_card");
    const [onCall, finance] = [await visit(given.page), await visit(given.page)];
    for (const { tab } of [onCall, finance]) {
      await tab.goto(`${given.page.origin}/items/${id}`);
      await live(tab);
    }
    await onCall.tab.check('input[value="not_applied"]');
    await onCall.tab.fill('textarea[name="reason"]', "I saw nothing");

    await finance.tab.check('input[value="applied"]');
    await finance.tab.fill('textarea[name="reason"]', "it came at noon");
    await finance.tab.click("text=Record the verdict");
    await finance.tab.waitForSelector(".done");

    await onCall.tab.waitForSelector("#notice:not([hidden])");
    expect(await onCall.tab.textContent("#notice")).toContain("It changed meanwhile");
    expect(await onCall.tab.inputValue('textarea[name="reason"]')).toBe("I saw nothing");
    const [answer] = await Promise.all([
      onCall.tab.waitForResponse((response) => response.request().method() === "POST"),
      onCall.tab.click("text=Record the verdict"),
    ]);
    expect(answer.status()).toBe(409);
    await onCall.tab.waitForSelector("#problem");
    const told = await onCall.tab.textContent("#problem");
    expect(told).toContain("changed while you were deciding");
    expect(told).toContain("it came at noon");
    expect(await onCall.tab.inputValue('textarea[name="reason"]')).toBe("I saw nothing");

    const { state, audit } = await given.guard.queue.show(id);
    expect(state).toBe("applied");
    expect(audit.filter(({ actor }) => actor !== undefined)).toHaveLength(1);
  });

  test("a decision about many: the dry run shows what would happen, and only the right number decides", async () => {
    const given = await world({ store });
    const charges = [await given.waiting("charge_card"), await given.waiting("charge_card")];
    const other = await given.waiting("send_email");
    const { tab, misdeeds } = await visit(given.page);
    await tab.goto(`${given.page.origin}/?tool=charge_card`);
    await tab.click("text=Decide many…");
    await tab.check('input[value="abandon"]');
    await tab.fill('textarea[name="reason"]', "The test shop was closed");
    await tab.click("text=Show what would happen");
    await tab.waitForSelector("#confirm");
    expect(await tab.textContent("#confirm h2")).toBe("2 items would become abandoned");
    expect(await tab.locator(".rows > li").count()).toBe(2);
    for (const id of charges) expect((await given.guard.queue.show(id)).state).toBe("unresolved");

    await tab.fill('input[name="confirm"]', "3");
    await tab.click("text=Decide 2 items");
    await tab.waitForSelector("#problem");
    for (const id of charges) expect((await given.guard.queue.show(id)).state).toBe("unresolved");

    await tab.fill('input[name="confirm"]', "2");
    await tab.click("text=Decide 2 items");
    await tab.waitForSelector("text=2 items are decided, 0 not.");
    for (const id of charges) {
      const { state, audit } = await given.guard.queue.show(id);
      expect(state).toBe("abandoned");
      expect(audit.at(-1)).toMatchObject({ actor: "on-call", reason: "The test shop was closed" });
    }
    expect((await given.guard.queue.show(other)).state).toBe("unresolved");
    expect(misdeeds).toEqual([]);
  });
});

test("a settled outcome is corrected on its page, and the old one stays on record", async () => {
  const given = await world();
  const id = await given.waiting("charge_card");
  const { version } = await given.guard.queue.show(id);
  await given.guard.queue.resolve(id, { verdict: "abandon", version, actor: "finance", reason: "nobody knows" });
  const { tab } = await visit(given.page);
  await tab.goto(`${given.page.origin}/items/${id}`);
  await tab.click("text=Correct the outcome");
  await tab.selectOption('select[name="to"]', "applied");
  await tab.fill('textarea[name="reason"]', "The bank's statement shows it");
  await tab.click("text=Record the correction");
  await tab.waitForSelector(".done");
  const { state, audit } = await given.guard.queue.show(id);
  expect(state).toBe("applied");
  expect(audit.map(({ actor }) => actor).filter((actor) => actor !== undefined)).toEqual(["finance", "on-call"]);
});

test("a link from another site leads a signed-in operator to the item, and a stranger to the sign-in", async () => {
  const given = await world();
  const id = await given.waiting("charge_card");
  const { tab, context } = await visit(given.page);
  const elsewhere = "http://chat.example/";
  await context.route(`${elsewhere}**`, (route) =>
    route.fulfill({ contentType: "text/html", body: `<a id="deep" href="${given.page.origin}/items/${id}">look</a>` }),
  );
  await tab.goto(elsewhere);
  await tab.click("#deep");
  await tab.waitForURL(`${given.page.origin}/items/${id}`);
  await tab.waitForSelector("#decision");

  await context.clearCookies();
  await tab.goto(elsewhere);
  await tab.click("#deep");
  await tab.waitForURL(/\/sign-in\?return=/);
  expect(await tab.inputValue('input[name="return"]')).toBe(`/items/${id}`);
});
