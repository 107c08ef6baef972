/** Outcomes that the store could not take: kept in memory and in the spool, written when the store is back. */
import type { LifecycleEvent } from "./core/lifecycle-events.ts";
import { isStoreGone } from "./errors.ts";
import { inLanes } from "./lanes.ts";
import type { Ledger } from "./ledger.ts";
import type { MoveOptions, Operation } from "./operation.ts";
import { seal, unseal } from "./payload.ts";
import type { Runtime } from "./runtime.ts";

interface Entry {
  readonly id: string;
  readonly event: LifecycleEvent;
  readonly payload?: MoveOptions["payload"];
  readonly payloadExpireIn?: number;
}

export interface Journal {
  /**
   * Moves the record; false when the store could not take the fact (gone, failing, the record vanished) and it went into
   * the journal instead. After a send it never throws: what is known must reach the caller.
   */
  record(operation: Operation, event: LifecycleEvent, options?: MoveOptions): Promise<boolean>;
  /** A fact about a record that could not even be read: written when the store is back. */
  afterwards(id: string, event: LifecycleEvent): Promise<void>;
  /** Brings everything home that can be. True when nothing is left. */
  drain(): Promise<boolean>;
}

const AGAIN = 500;
const CONTEXT = "spool";
/** Groups whose outcomes come home at once. */
const LANES = 32;

const entryIn = (text: string): Entry => JSON.parse(text) as Entry;

export function journal(runtime: Runtime, ledger: Ledger): Journal {
  const { store, clock, events } = runtime;
  const pending = new Map<string, string>();
  let _timer: (() => void) | undefined;

  const again = () => {
    _timer ??= clock.later(AGAIN, () => {
      _timer = undefined;
      drain().catch(() => {});
    });
  };

  async function keep(entry: Entry): Promise<void> {
    const text = JSON.stringify(entry);
    const line = seal(runtime.keys(), CONTEXT, text);
    pending.set(line, text);
    try {
      await store.spool?.append(line);
    } catch (error) {
      events.emit("warning", {
        message: `The spool could not be written; the outcome is only in memory: ${String(error)}`,
      });
    }
    events.emit("unrecorded", { operation: entry.id, row: entry.event.type });
    again();
  }

  /** What is in memory comes home also where the spool cannot be read or written: that is told at the end. */
  async function drain(): Promise<boolean> {
    const troubles: unknown[] = [];
    const trouble = (error: unknown) => void troubles.push(error);
    await readSpool().catch(trouble);
    await inLanes(byGroup(), LANES, async (lines) => {
      for (const line of lines) {
        const came = await bringHome(line);
        if (came === "store_gone") return;
        if (came === "home") await store.spool?.remove([line]).catch(trouble);
      }
    });
    if (pending.size > 0) again();
    if (troubles.length > 0) throw troubles[0];
    return pending.size === 0;
  }

  /** Read anew each time: the folder is shared with processes that may have died since. */
  async function readSpool(): Promise<void> {
    for (const line of (await store.spool?.lines()) ?? []) {
      const text = pending.has(line) ? undefined : unseal(runtime.keys(), CONTEXT, line);
      if (text !== undefined) pending.set(line, text);
    }
  }

  function byGroup(): string[][] {
    const groups = new Map<string, string[]>();
    for (const [line, text] of pending) {
      const tag = entryIn(text).id.split("_")[0] ?? "";
      const lines = groups.get(tag) ?? [];
      lines.push(line);
      groups.set(tag, lines);
    }
    return [...groups.values()];
  }

  /** A record that no longer takes the fact (settled otherwise, gone) ends the entry too: the machine has decided. */
  async function bringHome(line: string): Promise<"home" | "later" | "store_gone"> {
    const text = pending.get(line);
    if (text === undefined) return "later"; // another drain has it
    const entry = entryIn(text);
    try {
      const { operation } = await ledger.load(entry.id);
      const { payload, payloadExpireIn } = entry;
      const options = {
        ...(payload !== undefined && { payload }),
        ...(payloadExpireIn !== undefined && { payloadExpireIn }),
        note: { late: true },
      };
      if (operation) await ledger.move(operation, entry.event, options);
      pending.delete(line);
      return "home";
    } catch (error) {
      // Last in its group from now on: the others do not wait behind it for ever.
      if (pending.delete(line)) pending.set(line, text);
      if (isStoreGone(error)) return "store_gone";
      events.emit("warning", { message: `The outcome of ${entry.id} could not be recorded: ${String(error)}` });
      return "later";
    }
  }

  return {
    async record(operation, event, options = {}) {
      const trouble = await ledger.move(operation, event, options).then(
        (moved) => (moved.kind === "gone" ? "its record is gone" : undefined),
        (error: unknown) => String(error),
      );
      if (trouble === undefined) return true;
      events.emit("warning", { message: `The outcome of ${operation.id} waits to be recorded: ${trouble}` });
      const { payload, payloadExpireIn } = options;
      await keep({
        id: operation.id,
        event,
        ...(payload !== undefined && { payload }),
        ...(payloadExpireIn !== undefined && { payloadExpireIn }),
      });
      return false;
    },
    afterwards: (id, event) => keep({ id, event }),
    drain,
  };
}
