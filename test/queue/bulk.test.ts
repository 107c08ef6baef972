/** One decision about many: looked at first, confirmed by number, capped, each item on the record by itself. */
import { expect, test } from "vitest";
import { BY, failure, onEachStore } from "./support.ts";

onEachStore("A decision about many", (newDesk) => {
  test("is a dry run first, then needs the count, and writes one audit line for each item", async () => {
    const desk = newDesk();
    const items = [await desk.queued("a-1"), await desk.queued("a-2"), await desk.queued("b-1")];
    const { queue } = desk.guard;
    const about = { filter: { text: "a-" }, verdict: "not_applied", ...BY } as const;
    const preview = await queue.resolveAll({ ...about, dryRun: true });
    expect([preview.count, preview.items.map(({ id }) => id)]).toEqual([2, [items[0]?.id, items[1]?.id]]);
    expect((await queue.list()).items).toHaveLength(3);

    const wrong = await failure(queue.resolveAll({ ...about, confirm: 3 }));
    expect(wrong).toMatchObject({
      code: "RESOLUTION_CONFLICT",
      message: expect.stringMatching(/2 items fit now, the number confirmed is 3/),
    });
    const capped = await failure(queue.resolveAll({ ...about, confirm: 2, cap: 1 }));
    expect(capped.message).toMatch(/2 items are more than the cap of 1.*Nothing was decided/);
    expect((await queue.list()).items).toHaveLength(3);

    const report = await queue.resolveAll({ ...about, confirm: 2, seen: preview.seen, decision: "run-7" });
    expect(report.failed).toEqual([]);
    expect(report.resolved.map(({ id }) => id).sort()).toEqual(preview.items.map(({ id }) => id).sort());
    for (const { id, version } of report.resolved) {
      const { audit, state, version: now } = await queue.show(id);
      expect([state, now]).toEqual(["not_applied", version]);
      const lines = audit.filter(({ row }) => row === "operator_absent");
      expect(lines).toEqual([expect.objectContaining({ ...BY, decision: `run-7:${id}` })]);
    }
    expect((await queue.list()).items.map(({ id }) => id)).toEqual([items[2]?.id]);
  });

  test("with what the dry run saw decides nothing about other items of the same number", async () => {
    const desk = newDesk();
    const first = await desk.queued("a-1");
    const { queue } = desk.guard;
    const about = { filter: {}, verdict: "abandon", ...BY } as const;
    const { seen, count } = await queue.resolveAll({ ...about, dryRun: true });
    await queue.resolve(first.id, { verdict: "applied", version: first.version, ...BY });
    const other = await desk.queued("a-2");
    const error = await failure(queue.resolveAll({ ...about, confirm: count, seen }));
    expect(error).toMatchObject({ code: "RESOLUTION_CONFLICT", message: expect.stringMatching(/Other items/) });
    expect((await queue.show(other.id)).state).toBe("unresolved");
  });

  test("says for each item that somebody else was faster with", async () => {
    const desk = newDesk();
    const items = [await desk.queued("a-1"), await desk.queued("a-2"), await desk.queued("a-3")];
    const { queue } = desk.guard;
    const many = { filter: {}, verdict: "abandon", ...BY, confirm: 3 } as const;
    const [mine, theirs] = await Promise.all([
      queue.resolveAll(many).catch(() => ({ resolved: [], failed: [] })),
      desk
        .another()
        .guard.queue.resolveAll({ ...many, actor: "finance" })
        .catch(() => ({ resolved: [], failed: [] })),
    ]);
    const resolved = [...mine.resolved, ...theirs.resolved];
    expect(resolved.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
    for (const { why } of [...mine.failed, ...theirs.failed]) expect(why).toMatch(/Somebody was faster/);
    for (const { id } of items) {
      const { audit } = await queue.show(id);
      expect(audit.filter(({ row }) => row === "operator_abandon")).toHaveLength(1);
    }
  });

  test("is checked as a whole before anything is decided", async () => {
    const desk = newDesk();
    const { version, id } = await desk.queued("a-1");
    const { queue } = desk.guard;
    const good = { filter: {}, verdict: "abandon", ...BY, confirm: 1 } as const;
    for (const [bad, cure] of [
      [{ reason: " " }, /needs reason/],
      [{ actor: "" }, /needs actor/],
      [{ verdict: "gone" }, /use applied/],
      [{ confirm: undefined }, /confirm: the number/],
      [{ confirm: "1" }, /confirm: the number/],
      [{ cap: 5_000 }, /cap: 1 to 1000/],
      [{ filter: { limit: 1 } }, /everything that fits/],
      [{ decision: "x".repeat(101) }, /100 characters/],
    ] as const) {
      const error = await failure(queue.resolveAll({ ...good, ...bad } as never));
      expect(error).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(cure) });
    }
    expect(await queue.show(id)).toMatchObject({ version, state: "unresolved" });
  });
});
