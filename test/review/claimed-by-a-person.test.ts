import { expect, it } from "vitest";
import { guardFunction } from "../../src/index.ts";
import { never, world } from "./support.ts";

it("A5: a person who names the reference of another operation hears whose it is, and may insist", async () => {
  const { guard, hand } = world({ deadline: "1s" });
  const pay = guardFunction(guard, { server: "bank", tool: "pay" }, () => never());
  const calls = [pay({ order: "a" }), pay({ order: "b" })];
  await hand.move(5_000);
  const [a = "", b = ""] = (await Promise.all(calls)).map(({ operation }) => operation);
  const decide = async (id: string, override: boolean) => {
    const { version } = await guard.queue.show(id);
    const by = { version, actor: "ops", reason: "found it", ref: "INV-1", override };
    return guard.queue.resolve(id, { ...by, verdict: "applied" });
  };
  expect(await decide(a, false)).toMatchObject({ state: "applied", ref: "INV-1" });
  await expect(decide(b, false)).rejects.toMatchObject({
    code: "RESOLUTION_CONFLICT",
    message: expect.stringContaining(a),
  });
  expect(await decide(b, true)).toMatchObject({ state: "applied", ref: "INV-1" });
});
