/** Decisions that cannot stand: refused with what is missing; the record keeps its version and nothing is sent. */
import { expect, test } from "vitest";
import type { Guard } from "../../src/index.ts";
import { expectFailure, INVOICE, type Scene, scene } from "./support.ts";

const GOOD = { verdict: "applied", actor: "ops", reason: "found it" } as const;

async function inDoubt(): Promise<{ given: Scene; guard: Guard; id: string; version: number }> {
  const given = await scene({
    server: { script: { create_invoice: [{ reply: "never" }, {}] } },
    tools: { create_invoice: { deadline: 200 } },
  });
  const { outcome } = await given.call(INVOICE);
  const id = outcome?.operation ?? "";
  const { version } = await given.guard.queue.show(id);
  return { given, guard: given.guard, id, version };
}

test.each<[string, object, RegExp]>([
  ["no actor", { actor: undefined }, /needs actor/],
  ["an empty actor", { actor: "  " }, /needs actor/],
  ["a number for an actor", { actor: 7 }, /needs actor/],
  ["no reason", { reason: "" }, /needs reason/],
  ["no version", { version: undefined }, /needs version.*queue\.show/],
  ["a version in words", { version: "3" }, /needs version/],
  ["an unknown verdict", { verdict: "done" }, /verdict "done": use applied, not_applied, resend or abandon/],
])("a decision with %s is refused with what it needs", async (_what, more, words) => {
  const { given, guard, id, version } = await inDoubt();
  const decide = () => guard.queue.resolve(id, { ...GOOD, version, ...more } as never);
  await expectFailure(decide, "CONFIG_INVALID", words);
  expect(await guard.queue.show(id)).toMatchObject({ state: "uncertain", version });
  expect(given.log.arrivals()).toHaveLength(1);
});

test("a refused decision is a rejected promise, never a throw in the caller's face", async () => {
  const { guard, id, version } = await inDoubt();
  const decided = guard.queue.resolve(id, { ...GOOD, version, verdict: "done" as never });
  await expect(decided).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("a decision on a stale version names the current one", async () => {
  const { guard, id, version } = await inDoubt();
  const stale = () => guard.queue.resolve(id, { ...GOOD, version: version - 1 });
  await expectFailure(
    stale,
    "RESOLUTION_CONFLICT",
    new RegExp(`now version ${version}, uncertain\\. Look at it again`),
  );
  await guard.queue.resolve(id, { ...GOOD, version });
  const late = () => guard.queue.resolve(id, { ...GOOD, version, verdict: "not_applied" });
  await expectFailure(late, "RESOLUTION_CONFLICT", /Somebody was faster: .* applied/);
  expect(await guard.queue.show(id)).toMatchObject({ state: "applied" });
});

test("a decision on an id that is not there says so", async () => {
  const { guard, id, version } = await inDoubt();
  const unknown = `${id.slice(0, -3)}000`;
  await expectFailure(
    () => guard.queue.resolve(unknown, { ...GOOD, version }),
    "RESOLUTION_CONFLICT",
    /no operation .*check the id/,
  );
  await expectFailure(() => guard.queue.show("nonsense"), "RESOLUTION_CONFLICT", /no operation nonsense: check the id/);
});

test("a resend while the lost write can still land says how long, and that an override is recorded", async () => {
  const { given, guard, id, version } = await inDoubt();
  const early = () => guard.queue.resolve(id, { ...GOOD, verdict: "resend", version });
  await expectFailure(early, "RESOLUTION_CONFLICT", /can still land for \d+ s\. Decide after that, or with override/);
  await guard.sweep();
  expect(given.log.arrivals()).toHaveLength(1);
});

test("a settled operation is corrected, not resolved; a state that does not exist is refused", async () => {
  const { guard, id, version } = await inDoubt();
  const { version: settled } = await guard.queue.resolve(id, { ...GOOD, version });
  await expectFailure(
    () => guard.queue.resolve(id, { ...GOOD, version: settled }),
    "RESOLUTION_CONFLICT",
    /settled as applied/,
  );
  const bogus = () =>
    guard.queue.correct(id, { to: "gone" as never, version: settled, actor: "ops", reason: "was a test" });
  await expectFailure(bogus, "CONFIG_INVALID", /"gone" is no settled state: succeeded/);
  expect(await guard.queue.show(id)).toMatchObject({ state: "applied", version: settled });
});
