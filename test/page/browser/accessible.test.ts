/** Every page for everyone: axe in both colour schemes, and a phone's width. */
import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { ask, useBrowser, visit } from "../support/browser.ts";
import { type World, world } from "../support/world.ts";

useBrowser();

const WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

interface Found {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: { readonly html: string; readonly failureSummary?: string }[];
}

/** One item of each kind; the pages that show them, and those that say what is wrong. */
async function pagesOf(given: World): Promise<Record<string, string>> {
  const waiting = await given.waiting("charge_card", { order: "o-1", memo: "x".repeat(300) });
  const uncertain = await given.doubt("slow_export");
  const settled = await given.waiting("create_invoice");
  const { version } = await given.guard.queue.show(settled);
  const decision = { version, actor: "finance", reason: "It stands in the ledger, entry 77", ref: "inv_77" };
  await given.guard.queue.resolve(settled, { verdict: "applied", ...decision });
  return {
    list: "/",
    "filtered list": "/?tool=charge_card&older=1d",
    "open list": "/?index=open",
    "item that waits": `/items/${waiting}`,
    "item in doubt": `/items/${uncertain}`,
    "settled item": `/items/${settled}`,
    bulk: "/bulk?tool=charge_card",
    audit: "/audit",
    charts: "/charts",
    "not found": "/items/none",
    malformed: "/?foo=1",
  };
}

describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
  test("axe finds nothing serious on any page, and nothing moves sideways on a phone", async () => {
    const given = await world({ page: { label: "staging", urlTemplate: "https://d.example/{id}" } });
    const pages = await pagesOf(given);
    const { tab, misdeeds } = await visit(given.page, { colorScheme });
    for (const [name, path] of Object.entries(pages)) {
      for (const width of [1280, 360]) {
        await tab.setViewportSize({ width, height: 800 });
        await tab.goto(given.page.origin + path);
        await tab.evaluate(axe.source);
        const found = (await tab.evaluate("axe.run(document).then(({ violations }) => violations)")) as Found[];
        const serious = found.filter(({ impact }) => impact === "serious" || impact === "critical");
        expect(
          serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
          `${name} at ${width}`,
        ).toEqual([]);
        const beyond = await ask(tab, WIDER);
        expect(beyond, `${name} at ${width}`).toBe(0);
      }
    }
    expect(misdeeds).toEqual([]);
  }, 120_000);

  test("axe finds nothing serious before the sign-in and in the help", async () => {
    const given = await world();
    const { tab } = await visit(given.page, { colorScheme });
    await tab.click("#help-button");
    await tab.evaluate(axe.source);
    const serious =
      "axe.run(document).then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id))";
    expect(await tab.evaluate(serious)).toEqual([]);
    await tab.context().clearCookies();
    await tab.goto(`${given.page.origin}/sign-in`);
    await tab.evaluate(axe.source);
    expect(await tab.evaluate(serious)).toEqual([]);
  });
});

test("the colours can be chosen, and the next page comes in them", async () => {
  const given = await world();
  const { tab } = await visit(given.page, { colorScheme: "light" });
  const background = () => ask<string>(tab, "getComputedStyle(document.body).backgroundColor");
  const light = await background();
  await tab.click("#theme");
  await tab.click("#theme");
  expect(await background()).not.toBe(light);
  await tab.goto(`${given.page.origin}/audit`);
  expect(await tab.getAttribute("html", "data-theme")).toBe("dark");
  expect(await background()).not.toBe(light);
});
