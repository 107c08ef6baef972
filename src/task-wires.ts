/** The ways on which calls of this process were taken on as tasks: there the server knows who asks, also when the caller has gone. */
import type { Wire } from "./wire.ts";

export type AskTask = NonNullable<Wire["ask"]>;

/** By operation. */
export type TaskWires = Map<string, AskTask>;

/** The tasks of the oldest are left to the connections of the process. */
const MOST = 1_000;

export function keepTaskWire(wires: TaskWires, operation: string, { ask }: Wire): void {
  if (!ask) return;
  wires.delete(operation);
  wires.set(operation, ask);
  const [oldest] = wires.keys();
  if (wires.size > MOST && oldest !== undefined) wires.delete(oldest);
}
