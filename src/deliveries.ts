/** Settled outcomes on their way to the caller. Only a delivered outcome ends a hold. */
import type { Outcome } from "./core/outcome.ts";
import { isSettled } from "./core/terms.ts";
import type { Ledger } from "./ledger.ts";
import type { Operation } from "./operation.ts";

export interface Deliveries {
  /** The outcome of this operation is about to be handed over; it counts only in the thread that issued it. */
  keep(operation: Operation, thread: string | undefined): void;
  /** This was handed over. It delivers the operation only if it told that operation's own settled outcome. */
  confirm(outcome: Outcome): void;
}

/** Beyond this many unconfirmed outcomes the oldest are forgotten here: their repeats are recalled, which is safe. */
const MOST = 10_000;

export function deliveries(ledger: Ledger): Deliveries {
  const waiting = new Map<string, Operation>();
  return {
    keep(operation, thread) {
      const { state, delivered, thread: own } = operation.record;
      if (!isSettled(state) || delivered) return;
      if (own !== undefined && own !== thread) return;
      waiting.set(operation.id, operation);
      if (waiting.size > MOST) waiting.delete(waiting.keys().next().value as string);
    },
    confirm({ operation: id, kind, differentArguments }) {
      const operation = waiting.get(id);
      if (!operation || differentArguments || kind !== operation.record.state) return;
      waiting.delete(id);
      ledger.deliver(operation);
    },
  };
}
