/** A browser agent: the same click again and again, each one wanted. */
import { expect, test } from "vitest";
import { ownServer } from "./stage/servers.ts";
import { session } from "./stage/session.ts";

test("a browser agent that clicks next many times gets a new page each time", async () => {
  const stage = await session('A browser agent clicks "next", again and again');
  const browser = await stage.connect("browser", ownServer("browser", "next:6"));
  await browser.call("open", { url: "https://shop.example/list" });
  for (let click = 0; click < 3; click += 1) await browser.call("next", {});
  const both = await Promise.all([
    browser.call("next", {}, { quiet: true }),
    browser.call("next", {}, { quiet: true }),
  ]);
  stage.page.line("agent", "next {} twice at once");
  browser.events();
  for (const { text } of both) stage.page.line("model", text);
  await browser.call("next", {});

  stage.page.scene("A click whose answer is lost");
  const lost = await browser.call("next", {}, { passes: ["a minute without an answer", 61_000] });
  const held = await browser.call("next", {});
  const elsewhere = await browser.call("open", { url: "https://shop.example/cart" });
  await stage.queue();

  stage.page.scene('As the queue says: identity: "per-call" for a click that harms nobody');
  const servers = { browser: { tools: { next: { identity: "per-call" as const } } } };
  const free = await session("", { page: stage.page, servers });
  const tab = await free.connect("browser", ownServer("browser", "next:2"));
  await tab.call("open", { url: "https://shop.example/list" });
  await tab.call("next", {});
  await tab.call("next", {}, { passes: ["a minute without an answer", 61_000] });
  const goes_on = await tab.call("next", {});
  await free.queue();

  expect(lost.outcome?.kind).toBe("uncertain");
  expect(held.outcome?.heldBy).toBe(lost.outcome?.operation);
  expect(elsewhere.isError).toBe(false);
  expect(goes_on.text).toBe("page 4");
  await stage.ends("05-browser.txt");
});
