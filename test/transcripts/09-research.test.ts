/** A research agent that only reads, with no configuration at all. */
import { expect, test } from "vitest";
import { ownServer } from "./stage/servers.ts";
import { session } from "./stage/session.ts";

test("a research agent without configuration searches freely; a lost search names the setting that frees it", async () => {
  const stage = await session("A research agent that only reads, with no configuration");
  const web = await stage.connect("web", ownServer("research", "search:3"));
  await web.call("search", { query: "two generals" });
  await web.call("search", { query: "two generals" });
  await web.call("fetch_page", { url: "https://a.example/gone" });
  await web.call("fetch_page", { url: "https://a.example/gone" });
  stage.page.scene("A search whose answer is lost");
  const lost = await web.call("search", { query: "outbox" }, { passes: ["a minute without an answer", 61_000] });
  const held = await web.call("search", { query: "outbox" });
  const other = await web.call("search", { query: "outbox pattern" });
  await web.call("fetch_page", { url: "https://b.example" });
  await stage.passes("Two minutes later", 120_000);
  await stage.queue();
  expect(lost.outcome?.kind).toBe("uncertain");
  expect(held.outcome?.heldBy).toBe(lost.outcome?.operation);
  expect(other.isError).toBe(false);

  stage.page.scene("As the queue says: the search is declared a read");
  const servers = { web: { tools: { search: { effect: "read" as const } } } };
  const declared = await session("", { page: stage.page, servers });
  const free = await declared.connect("web", ownServer("research", "search:1"));
  const slow = await free.call("search", { query: "outbox" }, { passes: ["a minute without an answer", 61_000] });
  const asked = await free.call("search", { query: "outbox" });
  await declared.queue();
  expect(slow.isError).toBe(true);
  expect(asked.text).toBe("3 results for outbox");
  await stage.ends("09-research.txt");
});
