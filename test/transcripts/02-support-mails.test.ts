/** A support agent: many mails, and one whose answer does not come. */
import { expect, test } from "vitest";
import { scriptedServer } from "./stage/servers.ts";
import { session } from "./stage/session.ts";

const mail = (to: string, subject: string) => ({ to: `${to}@customers.example`, subject, body: "Solved." });
const CUSTOMERS = ["ada", "ben", "cem", "dan", "eva"];

test("a support agent sends many mails; the one that timed out is held alone, and a person settles it", async () => {
  const script = { send_email: [{}, {}, { reply: "never" as const }, {}] };
  const stage = await session("A support agent sends mails; one times out");
  const mails = await stage.connect("mail", scriptedServer({ script }), "v2");

  const said = [];
  for (const to of CUSTOMERS) {
    const slow = to === "cem" ? { passes: ["a minute without an answer", 61_000] as const } : {};
    said.push(await mails.call("send_email", mail(to, "Ticket closed"), slow));
  }
  const again = await mails.call("send_email", mail("cem", "Ticket closed"));
  const next = await mails.call("send_email", mail("cem", "A question about ticket 2"));
  await stage.queue();

  await stage.passes("Two minutes later", 120_000);
  await stage.queue();
  const id = said[2]?.outcome?.operation ?? "";
  await stage.resolve(id, { verdict: "applied", actor: "ops", reason: "found in the outbox", ref: "mail_3" });
  const told = await mails.call("send_email", mail("cem", "Ticket closed"));
  await stage.queue();

  expect(said.map(({ outcome }) => outcome?.kind)).toEqual([
    "succeeded",
    "succeeded",
    "uncertain",
    "succeeded",
    "succeeded",
  ]);
  expect(again.outcome?.heldBy).toBe(id);
  expect(next.isError).toBe(false);
  expect(told.outcome).toMatchObject({ kind: "applied", recalled: true });
  expect(mails.effects()).toBe(6);
  expect(mails.arrivals()).toBe(6);
  await stage.ends("02-support-mails.txt");
});
