/** What one caller (or recovery) brings along to drive an operation, and what allows it to send. */
import type { Marks } from "./answers.ts";
import type { Budget } from "./budget.ts";
import type { ToolPolicy } from "./config.ts";
import type { Basis, JsonObject } from "./core/terms.ts";
import type { Operation } from "./operation.ts";
import type { Wire } from "./wire.ts";

export interface Drive {
  readonly operation: Operation;
  readonly policy: ToolPolicy;
  readonly arguments: JsonObject;
  readonly wire: Wire;
  readonly budget: Budget;
  readonly signal?: AbortSignal;
  readonly marks: Marks;
}

/** A permit that was just spent. */
export interface Grant {
  readonly basis: Basis;
  /** Monotonic time taken before the store was asked. */
  readonly grantedAt: number;
  /** Asked at the hand-over: whether the ground for this send is still there. @default it is */
  holds?(): boolean;
}
