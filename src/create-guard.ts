/** Wires the parts of a guard together. */
import { refusedOutcome, toolResult } from "./answers.ts";
import { makeCard } from "./card.ts";
import type { Card, CardPorts, CardRequest } from "./card-api.ts";
import { applyCards } from "./cards.ts";
import { catalog as newCatalog } from "./catalog.ts";
import { catalogue as newCatalogue } from "./catalogue.ts";
import type { Catalogue } from "./catalogue-api.ts";
import { parseSettings } from "./config.ts";
import { principalDigest } from "./core/identity.ts";
import type { Outcome } from "./core/outcome.ts";
import { deliveries as newDeliveries } from "./deliveries.ts";
import { describe } from "./describe.ts";
import type { CallDescription } from "./describe-api.ts";
import { driftWatch } from "./drift-watch.ts";
import { IndoubtError } from "./errors.ts";
import { emitter, type GuardEvents } from "./events.ts";
import { performCall } from "./guard.ts";
import type { GuardedCalls, ToolCall } from "./guard-api.ts";
import type { Parts } from "./guard-parts.ts";
import { journal as newJournal } from "./journal.ts";
import { ledger as newLedger } from "./ledger.ts";
import { links as newLinks } from "./links.ts";
import type { GuardOptions, GuardPolicyOptions } from "./options.ts";
import type { Clock, Store } from "./ports.ts";
import { type ProbeReport, reportProbe } from "./probe-report.ts";
import { queue as newQueue } from "./queue.ts";
import type { Queue } from "./queue-api.ts";
import { recovery as newRecovery, type Recovery } from "./recovery.ts";
import { runtime as newRuntime, systemClock } from "./runtime.ts";
import { standing as newStanding } from "./standing.ts";
import { suspensions as newSuspensions, type Suspensions } from "./suspensions.ts";
import { heardTask } from "./tasks.ts";
import { turns } from "./turns.ts";
import type { Wire } from "./wire.ts";

export interface Guard extends GuardedCalls {
  readonly queue: Queue;
  /** The tools of the servers beside their review. */
  readonly catalogue: Catalogue;
  /**
   * Tests what the destination makes of repeats, in an environment that is marked `test`. The sends go around the guard.
   * @throws IndoubtError CONFIG_INVALID for a server that is no test environment, or a tool whose effects nothing can count
   */
  card(request: CardRequest, ports: CardPorts): Promise<Card>;
  /**
   * What the tool's hook or probe would ask about this call, and what the answers would mean; with `ask`, what the
   * destination says now. Writes nothing.
   */
  probe(call: ToolCall, options?: { readonly ask?: boolean }): Promise<ProbeReport>;
  /** Contracts that a person, a conflict or a double effect took out of force. */
  readonly suspensions: Suspensions;
  /** Opens the store, brings spooled outcomes home, starts the sweeper and the reconcile loop. */
  start(): Promise<void>;
  /** Lets running calls end (at most `within` ms, default 10 000), writes what waits, closes the store. Nothing is lost. */
  close(options?: { readonly within?: number }): Promise<void>;
  /** One round of recovery now, for tests and for hosts with their own schedule. @returns records looked at */
  sweep(): Promise<number>;
  on<K extends keyof GuardEvents>(event: K, listener: (detail: GuardEvents[K]) => void): () => void;
  /** What a person should see before approving a call; its `digest` goes into `expect`. */
  describeCall(call: ToolCall): Promise<CallDescription>;
  /** Set-ups that work but hurt, each with its cure. */
  readonly warnings: readonly string[];
  /** For adapters that have something to tell the operator: reaches the listeners of `warning`. */
  warn(message: string): void;
}

/**
 * @throws IndoubtError CONFIG_INVALID with each path and cure
 * @example
 * const guard = createGuard({ store: sqliteStore() });
 * const billing = guardClient(guard, "billing.acme", client);
 */
export function createGuard(options: GuardOptions): Guard {
  const { store, secret, clock = systemClock, recovery: mode = "on", ...policies } = options;
  if (typeof store?.begin !== "function") {
    throw new IndoubtError(
      "CONFIG_INVALID",
      "store: missing. Pass sqliteStore() from indoubt/sqlite or redisStore({ … }) from indoubt/redis.",
    );
  }
  if (mode !== "on" && mode !== "off") {
    throw new IndoubtError("CONFIG_INVALID", `recovery: "${String(mode)}" is neither "on" nor "off".`);
  }
  const recovers = mode === "on";
  const parts = assemble(store, secret, clock, { policies, recovers });
  const { runtime, journal, catalog, deliveries } = parts;
  const running = new Set<Promise<Outcome>>();
  const recovery = newRecovery(parts);
  let used = false;
  /** Doubt, also that of processes that died, must find its way out in a host that never calls start(). */
  const use = () => {
    if (used || !recovers) return;
    used = true;
    clock.later(runtime.settings.sweepEvery, () => {
      if (closed) return;
      journal.drain().catch(() => {});
      recovery.start();
    });
  };
  const closing = new AbortController();
  let closed = false;

  const perform = (call: ToolCall, wire: Wire): Promise<Outcome> => {
    if (closed) return Promise.resolve(refusedOutcome(call, "closed", "The guard was closed."));
    use();
    const work = performCall(parts, call, wire).then((outcome) => {
      runtime.events.emit("outcome", outcome);
      tellCaller(runtime, call, outcome);
      return outcome;
    });
    running.add(work);
    parts.turns.entered();
    const done = () => {
      running.delete(work);
      parts.turns.left();
    };
    work.then(done, done);
    return work;
  };

  return {
    perform,
    wirePolicy: (server, tool) => runtime.settings.policy(server, tool),
    toolsSeen: parts.drift.seen,
    toolsAsked: catalog.changes,
    toolsChanged: catalog.changed,
    toolResult: (outcome) => toolResult(outcome, catalog.hasOutputSchema(outcome.server, outcome.tool)),
    delivered: deliveries.confirm,
    taskHeard: (operation, question, answer) =>
      void heardTask(parts, operation, question, answer).catch((error: unknown) =>
        runtime.events.emit("warning", { message: `The end of a task waits for recovery: ${String(error)}` }),
      ),
    closing: closing.signal,
    connected: (server, wire, { principal } = {}) => parts.links.add(server, wire, principal),
    queue: newQueue(parts, use),
    suspensions: newSuspensions(parts),
    catalogue: newCatalogue(parts),
    card: (request, ports) => makeCard(parts, request, ports),
    probe: (call, { ask = false } = {}) => reportProbe(parts, call, ask),
    warnings: runtime.settings.warnings,
    on: runtime.events.on,
    warn: (message) => runtime.events.emit("warning", { message }),
    describeCall: (call) => describe(parts, call),
    sweep: recovery.sweep,
    async start() {
      if (closed) throw new IndoubtError("CALL_REFUSED", "The guard was closed. Make another one with createGuard().");
      await runtime.ready();
      for (const message of [...runtime.settings.warnings, ...(await store.health()).warnings]) {
        runtime.events.emit("warning", { message });
      }
      if (!recovers) return;
      await journal.drain();
      if (!closed) recovery.start();
    },
    async close({ within = 10_000 } = {}) {
      closed = true;
      await drained(clock, running, within);
      closing.abort();
      await finish(parts, recovery);
    },
  };
}

/** The caller's own listener cannot undo what happened. */
function tellCaller(runtime: Parts["runtime"], call: ToolCall, outcome: Outcome): void {
  try {
    call.onOutcome?.(outcome);
  } catch (error) {
    runtime.events.emit("warning", { message: `onOutcome threw and was ignored: ${String(error)}` });
  }
}

interface Means {
  readonly policies: GuardPolicyOptions;
  readonly recovers: boolean;
}

function assemble(store: Store, secret: GuardOptions["secret"], clock: Clock, { policies, recovers }: Means): Parts {
  // Whoever only looks must get to the queue also on the day that a review is over.
  const today = recovers ? new Date(clock.wall()).toISOString().slice(0, 10) : undefined;
  const runtime = newRuntime(
    {
      settings: parseSettings(policies, today),
      store,
      clock,
      events: emitter(),
    },
    secret,
  );
  const ledger = newLedger(runtime);
  const catalog = newCatalog((principal) => principalDigest(runtime.keys(), principal));
  const standing = newStanding(runtime);
  const drift = driftWatch(runtime, catalog, standing);
  drift.atStart();
  if (runtime.settings.citations.length > 0) {
    void applyCards(runtime, standing).catch((error: unknown) =>
      runtime.events.emit("warning", { message: `Cards could not be applied yet: ${String(error)}` }),
    );
  }
  return {
    runtime,
    ledger,
    journal: newJournal(runtime, ledger),
    catalog,
    drift,
    standing,
    links: newLinks((principal) => principalDigest(runtime.keys(), principal)),
    taskWires: new Map(),
    deliveries: newDeliveries(ledger),
    driven: new Set(),
    turns: turns(clock),
    strangers: new Set(),
    async suspend(operation, reason) {
      const { server, tool } = operation.group;
      standing.withdraw({ server, tool, reason, actor: "indoubt", detail: operation.id });
      await standing.flush();
    },
  };
}

async function drained(clock: Clock, running: ReadonlySet<Promise<Outcome>>, within: number): Promise<void> {
  let cancel = () => {};
  const tooLong = new Promise<void>((resolve) => {
    cancel = clock.after(within, resolve);
  });
  await Promise.race([Promise.allSettled(running), tooLong]);
  cancel();
}

async function finish(parts: Parts, recovery: Recovery): Promise<void> {
  await recovery.stop();
  await parts.ledger.flush();
  await parts.journal.drain().catch(() => false);
  await parts.runtime.store.close();
}
