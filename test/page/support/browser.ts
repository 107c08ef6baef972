/** Real Chromium, as two operators with a browser each would have it; what a page must never do is written down. */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page as Tab,
} from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { Page } from "../../../adapters/surfaces/page/index.ts";
import { ensureChromium } from "../../support/chromium.ts";

let browser: Browser | undefined;

/** For the whole file: starting a browser takes longer than most tests. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: ensureChromium(),
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
  }, 180_000);
  afterAll(() => browser?.close());
}

export interface Visit {
  readonly tab: Tab;
  readonly context: BrowserContext;
  /** Dialogs, violations of the policy, exceptions, requests to anywhere else. */
  readonly misdeeds: readonly string[];
}

/** A browser of its own, signed in by the page's link. */
export async function visit(
  page: Page,
  options: BrowserContextOptions & { readonly url?: string } = {},
): Promise<Visit> {
  if (!browser) throw new Error("useBrowser() first");
  const { url = page.invite(), ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...rest });
  onTestFinished(() => context.close().catch(() => {}));
  const tab = await context.newPage();
  const misdeeds: string[] = [];
  watch(tab, page, misdeeds);
  await tab.goto(url);
  return { tab, context, misdeeds };
}

function watch(tab: Tab, page: Page, misdeeds: string[]): void {
  tab.on("dialog", (dialog) => {
    misdeeds.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  tab.on("pageerror", (error) => misdeeds.push(`exception: ${error.message}`));
  tab.on("console", (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) misdeeds.push(`policy: ${message.text()}`);
  });
  tab.on("request", (request) => {
    if (!request.url().startsWith(page.origin)) misdeeds.push(`request: ${request.url()}`);
  });
}

/** The page is live: it has heard from its server. */
export const live = (tab: Tab): Promise<unknown> => tab.waitForSelector('#pulse[data-state="live"]');

export const rowIds = (tab: Tab): Promise<(string | null)[]> =>
  tab.locator("[data-rows] > li").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-key")));

export async function expectRows(tab: Tab, ids: readonly string[]): Promise<void> {
  await expect.poll(() => rowIds(tab), { timeout: 8_000 }).toEqual(ids);
}

/** Asks the page in its own words: the tests know no DOM. */
export const ask = <T>(tab: Tab, expression: string): Promise<T> => tab.evaluate(expression) as Promise<T>;

/** The id of the operation whose row has the focus. */
export const focusedRow = (tab: Tab): Promise<string | null> =>
  ask(tab, 'document.activeElement?.closest("[data-key]")?.getAttribute("data-key") ?? null');
