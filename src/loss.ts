/** Writes down what a known loss of acknowledged writes made doubtful. */
import type { LifecycleEvent } from "./core/lifecycle-events.ts";
import { lossToWrite } from "./core/loss.ts";
import type { Operation } from "./operation.ts";

interface Mover {
  move(operation: Operation, event: LifecycleEvent): Promise<unknown>;
}

/**
 * One in flight waits for the end of its lease: its driver may be at work.
 * @returns whether there was something to write
 */
export async function countLoss({ ledger }: { readonly ledger: Mover }, operation: Operation): Promise<boolean> {
  const loss = operation.record.state === "in_flight" ? undefined : lossToWrite(operation);
  if (loss) await ledger.move(operation, loss);
  return loss !== undefined;
}
