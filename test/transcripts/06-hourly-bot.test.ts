/** A bot that posts the same words each hour, and means it. */
import { expect, test } from "vitest";
import type { FaultTool } from "../../adapters/testing/index.ts";
import { scriptedServer } from "./stage/servers.ts";
import { session } from "./stage/session.ts";

const POST: FaultTool = { effect: "write", name: "post_message", idPrefix: "msg", inputSchema: { type: "object" } };
const WORDS = { channel: "#status", text: "All systems normal." };
const HOUR = 3_600_000;

test("a bot posts the same message each hour; the hour without an answer holds the next ones until a person looks", async () => {
  const stage = await session("A bot posts the same message on purpose each hour");
  const script = { post_message: [{}, {}, { reply: "never" as const }, {}] };
  const chat = await stage.connect("chat", scriptedServer({ tools: [POST], script }));
  await chat.call("post_message", WORDS);
  await stage.passes("one hour later", HOUR);
  await chat.call("post_message", WORDS);
  await stage.passes("one hour later", HOUR);
  const lost = await chat.call("post_message", WORDS, { passes: ["a minute without an answer", 61_000] });
  await stage.passes("one hour later", HOUR);
  const held = await chat.call("post_message", WORDS);
  await stage.queue();
  const id = lost.outcome?.operation ?? "";
  await stage.resolve(id, { verdict: "applied", actor: "ops", reason: "it is in the channel" });
  const told = await chat.call("post_message", WORDS);
  await stage.passes("one hour later", HOUR);
  const posted = await chat.call("post_message", WORDS);

  expect(held.outcome?.heldBy).toBe(id);
  expect(told.outcome?.recalled).toBe(true);
  expect(posted.outcome?.kind).toBe("succeeded");
  expect(chat.effects()).toBe(4);
  await stage.ends("06-hourly-bot.txt");
});
