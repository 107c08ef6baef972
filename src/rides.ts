/** Deliveries on their way to the store: they ride on the next `begin` of their group; those of an idle group go alone. */
import { inLanes } from "./lanes.ts";
import type { Operation } from "./operation.ts";
import type { Clock, Group } from "./ports.ts";

export interface Rides {
  wait(operation: Operation): void;
  /** Those that ride along now. */
  take(group: Group): Operation[];
  /** Everything goes alone, at once. */
  flush(): Promise<void>;
}

interface Waiting {
  readonly operation: Operation;
  readonly since: number;
}

/** So long a delivery waits for a ride, in ms: at a steady pace of calls none goes alone. */
const PATIENCE = 25;
const MOST_RIDERS = 32;
const LANES = 32;

/** @param alone writes one delivery; never rejects */
export function rides(clock: Clock, alone: (operation: Operation) => Promise<void>): Rides {
  const groups = new Map<string, Map<string, Waiting>>();
  let cancel: (() => void) | undefined;

  /** Those that have waited since then or longer, oldest first in each group. */
  function takeSince(then: number): Operation[] {
    const taken: Operation[] = [];
    for (const [tag, waiting] of groups) {
      for (const { operation, since } of waiting.values()) {
        if (since > then) break; // the rest is younger
        taken.push(operation);
        waiting.delete(operation.id);
      }
      if (waiting.size === 0) groups.delete(tag);
    }
    return taken;
  }

  function arm(): void {
    if (groups.size === 0) return;
    cancel ??= clock.after(PATIENCE, () => {
      cancel = undefined;
      inLanes(takeSince(clock.monotonic() - PATIENCE), LANES, alone);
      arm();
    });
  }

  return {
    wait(operation) {
      const waiting = groups.get(operation.group.tag) ?? new Map<string, Waiting>();
      groups.set(operation.group.tag, waiting);
      waiting.delete(operation.id); // at the end, as the youngest
      waiting.set(operation.id, { operation, since: clock.monotonic() });
      arm();
    },
    take({ tag }) {
      const waiting = groups.get(tag);
      if (!waiting) return [];
      const taken: Operation[] = [];
      for (const { operation } of waiting.values()) {
        if (taken.length === MOST_RIDERS) break;
        taken.push(operation);
        waiting.delete(operation.id);
      }
      if (waiting.size === 0) groups.delete(tag);
      return taken;
    },
    flush() {
      cancel?.();
      cancel = undefined;
      return inLanes(takeSince(Number.POSITIVE_INFINITY), LANES, alone);
    },
  };
}
