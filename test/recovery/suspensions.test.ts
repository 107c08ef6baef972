import { expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { createGuard } from "../../src/index.ts";

const secret = "a secret of at least sixteen bytes";

it("a suspension reaches every process, names its reason, and only a person lifts it", async () => {
  const store = memoryStore();
  const one = createGuard({ store, secret });
  const other = createGuard({ store: store.another(), secret });
  const heard: string[] = [];
  one.on("suspended", ({ reason }) => heard.push(`suspended: ${reason}`));
  one.on("lifted", ({ actor }) => heard.push(`lifted by ${actor}`));

  await one.suspensions.suspend({ server: "bank", tool: "pay", actor: "ops", reason: "two effects for one key" });
  expect(await other.suspensions.list()).toMatchObject([
    { server: "bank", tool: "pay", actor: "ops", reason: "two effects for one key" },
  ]);
  await one.suspensions.lift({ server: "bank", tool: "pay", actor: "ops", reason: "fixed at the source" });
  expect(await other.suspensions.list()).toEqual([]);
  expect(heard).toEqual(["suspended: two effects for one key", "lifted by ops"]);
});

it("a decision about a contract without a person or a reason is refused, and says what is missing", async () => {
  const guard = createGuard({ store: memoryStore(), secret });
  const decision = { server: "bank", tool: "pay", actor: "", reason: "because" };
  await expect(guard.suspensions.lift(decision)).rejects.toThrow("needs actor");
});
