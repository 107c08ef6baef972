/** The parts of one guard, wired together in create-guard.ts. */
import type { Catalog } from "./catalog.ts";
import type { Deliveries } from "./deliveries.ts";
import type { DriftWatch } from "./drift-watch.ts";
import type { Journal } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { Links } from "./links.ts";
import type { Operation } from "./operation.ts";
import type { Runtime } from "./runtime.ts";
import type { Standing } from "./standing.ts";
import type { TaskWires } from "./task-wires.ts";
import type { Turns } from "./turns.ts";

export interface Parts {
  readonly runtime: Runtime;
  readonly ledger: Ledger;
  readonly journal: Journal;
  readonly catalog: Catalog;
  readonly drift: DriftWatch;
  readonly standing: Standing;
  readonly links: Links;
  readonly taskWires: TaskWires;
  readonly deliveries: Deliveries;
  /** Operations that a caller of this process is driving: recovery leaves them alone. */
  readonly driven: Set<string>;
  /** When the work of many calls goes on. */
  readonly turns: Turns;
  /** Server names that the configuration does not know and that were told. */
  readonly strangers: Set<string>;
  /** Puts the contract of the operation's tool out of force, durably and for all processes. */
  suspend(operation: Operation, reason: string): Promise<void>;
}
