/** Contracts out of force: the list that all processes share, and the person who puts one back. */
import { IndoubtError } from "./errors.ts";
import type { Parts } from "./guard-parts.ts";
import type { Suspension } from "./ports.ts";

export interface SuspensionDecision {
  readonly server: string;
  readonly tool: string;
  readonly actor: string;
  readonly reason: string;
}

export interface Suspensions {
  list(): Promise<readonly Suspension[]>;
  /** Takes contract and read declaration of a tool out of force in every process. Calls still pass, resends do not. */
  suspend(decision: SuspensionDecision): Promise<void>;
  /** Puts it back. Look at what suspended it first. */
  lift(decision: SuspensionDecision): Promise<void>;
}

export function suspensions({ runtime, standing }: Parts): Suspensions {
  const checked = async (decision: SuspensionDecision): Promise<SuspensionDecision> => {
    for (const name of ["server", "tool", "actor", "reason"] as const) {
      if (!decision[name]?.trim()) {
        throw new IndoubtError(
          "CONFIG_INVALID",
          `A decision about a contract needs ${name}: who decides about what, and why.`,
        );
      }
    }
    await runtime.ready();
    return decision;
  };
  return {
    async list() {
      await runtime.ready();
      return runtime.store.suspensions();
    },
    async suspend(decision) {
      const { server, tool, actor, reason } = await checked(decision);
      await standing.look(0);
      standing.withdraw({ server, tool, actor, reason });
      await standing.flush();
    },
    async lift(decision) {
      const { server, tool, actor, reason } = await checked(decision);
      await standing.lift(server, tool);
      runtime.events.emit("lifted", { server, tool, actor, reason });
    },
  };
}
