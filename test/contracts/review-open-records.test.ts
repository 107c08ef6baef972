/** C2-01, its second half: what is open keeps the definition that it was sent under, and is not sent again under another. */
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import type { ToolDefinition } from "../../src/entries/wire.ts";
import { toolFingerprint } from "../../src/index.ts";
import {
  callOf,
  finder,
  guardOf,
  invoice,
  LOST,
  lockOf,
  OK,
  SERVER,
  sends,
  settled,
  terms,
  wireOf,
} from "./support.ts";

const changed: ToolDefinition = { ...invoice, outputSchema: { type: "object" } };
const tools = { create_invoice: { identityArgs: ["/order"], contract: terms() } };

describe("an operation in doubt", () => {
  async function lost() {
    const store = memoryStore();
    const { guard } = guardOf({ store, tools, lock: lockOf([invoice]) });
    guard.toolsSeen(SERVER, [invoice], {});
    const wire = wireOf((attempt) => {
      if (attempt.number === 1) guard.toolsSeen(SERVER, [changed], {});
      return LOST;
    });
    const { operation, kind } = await guard.perform(callOf(), wire);
    expect([kind, sends(wire)]).toEqual(["uncertain", 1]);
    return { store, guard, operation };
  }

  it("C2-01 shows the definition that it was sent under, whatever is listed since", async () => {
    const { guard, operation } = await lost();
    const shown = await guard.queue.show(operation);
    expect(shown.definition).toBe(toolFingerprint(invoice));
    expect(shown.contract).toMatchObject({ status: "suspended", suspended: "drift" });
  });

  it("C2-01 is not sent again when the new definition has been reviewed: the promise is about that one", async () => {
    const { store, operation } = await lost();
    const { guard, events } = guardOf({ store: store.another(), tools, lock: lockOf([changed]) });
    guard.toolsSeen(SERVER, [changed], {});
    await settled();
    expect(await guard.suspensions.list()).toEqual([]);
    const wire = wireOf(OK);
    const again = await guard.perform(callOf(), wire);
    expect([sends(wire), again.kind]).toEqual([0, "uncertain"]);
    expect(events.warning).toContainEqual({ message: expect.stringContaining("under another definition of the tool") });
    const shown = await guard.queue.show(operation);
    expect(shown).toMatchObject({ definition: toolFingerprint(invoice), contract: { status: "other_definition" } });
  });

  it("C2-01 of a new call after that review is resent as ever", async () => {
    const { store } = await lost();
    const { guard } = guardOf({ store: store.another(), tools, lock: lockOf([changed]) });
    guard.toolsSeen(SERVER, [changed], {});
    await settled();
    const wire = wireOf(LOST, OK);
    expect(await guard.perform(callOf({ order: "o-2" }), wire)).toMatchObject({ kind: "succeeded", basis: "contract" });
  });

  it("that was sent before any list was seen names no definition", async () => {
    const { guard } = guardOf({ tools });
    const { operation } = await guard.perform(callOf(), wireOf(LOST));
    expect(await guard.queue.show(operation)).not.toHaveProperty("definition");
    guard.toolsSeen(SERVER, [finder], {});
    const { operation: gone } = await guard.perform(callOf({ order: "o-9" }), wireOf(LOST));
    expect(await guard.queue.show(gone)).not.toHaveProperty("definition");
  });
});
