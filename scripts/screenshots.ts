/**
 * Pictures of the page for the documentation, from a real run: `npx tsx scripts/screenshots.ts`.
 * Real guarded calls on a real SQLite file, looked at in a real browser. Only the clock is set: what is shown took days.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { sqliteStore } from "../adapters/stores/sqlite/index.ts";
import { startPage } from "../adapters/surfaces/page/index.ts";
import { setClock } from "../test/page/support/clock.ts";
import { ensureChromium } from "../test/support/chromium.ts";
import { playShop } from "./screenshots/shop.ts";

const target = resolve(import.meta.dirname, "../docs/images");
const folder = mkdtempSync(join(tmpdir(), "indoubt-screenshots-"));
const clock = setClock();
const shop = await playShop(sqliteStore({ file: join(folder, "indoubt.db"), clock }), clock);
const page = await startPage({
  guard: shop.guard,
  port: 0,
  operator: "on-call",
  label: "production",
  urlTemplate: "https://dashboards.example.com/operations?id={id}",
});

/** Name of the picture -> path of the page; some are only a part of it. */
const PICTURES = {
  list: { path: "/", height: 840 },
  item: { path: `/items/${shop.told}`, height: 1_360 },
  charts: { path: "/charts", height: 1_130 },
  audit: { path: "/audit?kind=verdict", height: 620 },
} as const;

async function take(browser: Browser, colorScheme: "light" | "dark"): Promise<void> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1_200, height: 800 } });
  const tab = await context.newPage();
  await tab.goto(page.invite());
  for (const [name, { path, height }] of Object.entries(PICTURES)) {
    if (colorScheme === "dark" && name !== "list" && name !== "item") continue;
    await tab.setViewportSize({ width: 1_200, height });
    await tab.goto(page.origin + path);
    if (name === "list" || name === "item") await tab.waitForSelector('#pulse[data-state="live"]');
    await tab.screenshot({ path: join(target, `page-${name}-${colorScheme}.png`) });
  }
  await tab.setViewportSize({ width: 390, height: 844 });
  await tab.goto(page.origin);
  await tab.waitForSelector('#pulse[data-state="live"]');
  if (colorScheme === "light") await tab.screenshot({ path: join(target, "page-phone-light.png") });
  await context.close();
}

mkdirSync(target, { recursive: true });
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
await take(browser, "light");
await take(browser, "dark");
await browser.close();
await page.close();
await shop.guard.close({ within: 0 });
rmSync(folder, { recursive: true, force: true });
