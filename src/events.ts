/** What a guard tells its listeners. Listeners never influence a call; one that throws or rejects is reported and ignored. */
import type { DriftKind } from "./core/baseline.ts";
import type { Outcome } from "./core/outcome.ts";
import type { Observation, State, WireEvidence } from "./core/terms.ts";

/** An item of the manual queue at the moment that an event is about. */
export interface QueueNotice {
  readonly operation: string;
  readonly version: number;
  readonly server: string;
  readonly tool: string;
  readonly state: State;
  /** A reason code. */
  readonly reason: string;
  /** ms since the issue of the intent, by the store's clock. */
  readonly ageMs: number;
}

export interface GuardEvents {
  /** A call ended for its caller. */
  outcome: Outcome;
  /** A record moved. `row` is a row of docs/states.md. */
  transition: {
    readonly operation: string;
    readonly server: string;
    readonly tool: string;
    readonly row: string;
    readonly from: State | "none";
    readonly to: State;
  };
  /** Evidence came after the engine had stopped waiting. */
  late: { readonly operation: string; readonly evidence: WireEvidence["kind"]; readonly row: string };
  /** Two pieces of evidence that cannot both hold: an assumption is broken. */
  conflict: QueueNotice;
  /** It waits for a person now. Told once, by the process whose write brought it into the queue. */
  queued: QueueNotice;
  /** It has waited for a person longer than `queue.oldAfter`. Each process that sweeps tells once. */
  aged: QueueNotice;
  /** What a server's tool list says departs from what was reviewed. `words`: one line each; names are the server's. */
  drift: {
    readonly server: string;
    readonly tool: string;
    readonly change: DriftKind;
    readonly words: readonly string[];
    /** Contract and read declaration of the tool went out of force. */
    readonly suspends: boolean;
  };
  /** The destination showed what a hint of the publisher rules out. What rested on it went out of force. */
  contradiction: {
    readonly server: string;
    readonly tool: string;
    readonly operation: string;
    readonly words: readonly string[];
  };
  /** A contract went out of force. */
  suspended: { readonly server: string; readonly tool: string; readonly reason: string };
  /** A person put a contract back in force. */
  lifted: { readonly server: string; readonly tool: string; readonly actor: string; readonly reason: string };
  /** The destination was asked. */
  observed: { readonly operation: string; readonly observation: Observation["kind"]; readonly reason?: string };
  /** An outcome could not be written to the store; it is in memory and in the spool. */
  unrecorded: { readonly operation: string; readonly row: string };
  /** Another call of the same identity with other arguments was made while one is in doubt. */
  changed_arguments: { readonly operation: string; readonly server: string; readonly tool: string };
  /** Something works but should be looked at; the text names the cure. */
  warning: { readonly message: string };
}

export interface Emitter {
  on<K extends keyof GuardEvents>(event: K, listener: (detail: GuardEvents[K]) => void): () => void;
  emit<K extends keyof GuardEvents>(event: K, detail: GuardEvents[K]): void;
}

const report = (event: string, error: unknown): void =>
  process.emitWarning(`a listener for "${event}" threw: ${String(error)}`, "IndoubtWarning");

export function emitter(): Emitter {
  const listeners = new Map<string, Set<(detail: never) => void>>();
  return {
    on(event, listener) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(listener));
      return () => set.delete(listener);
    },
    emit(event, detail) {
      for (const listener of listeners.get(event) ?? []) {
        try {
          // An async listener fits the type, too: what it rejects with would end the process.
          const done = (listener as (detail: unknown) => unknown)(detail);
          Promise.resolve(done).catch((error: unknown) => report(event, error));
        } catch (error) {
          report(event, error);
        }
      }
    },
  };
}
