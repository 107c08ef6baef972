/** Drives one attempt over a wire: the gate before hand-over, the lease while it runs, the ear for late answers. */
import pRetry from "p-retry";
import type { WireEvidence } from "./core/terms.ts";
import type { Drive } from "./drive-api.ts";
import type { Ledger } from "./ledger.ts";
import type { Placed } from "./placing.ts";
import type { Runtime } from "./runtime.ts";
import type { Attempt, Wire } from "./wire.ts";

export interface SendPlan {
  readonly run: Drive;
  /** What is sent, the key in its place. */
  readonly placed: Placed;
  /** Monotonic time taken before the store was asked for the right to send. */
  readonly grantedAt: number;
  /** Whether the ground for this send is still there. @default it is */
  holds?: (() => boolean) | undefined;
  /** ms of the budget to leave for what comes after. */
  readonly keep: number;
  sentAgain(): void;
  /** Evidence that came after the wait had ended. */
  late(evidence: WireEvidence): void;
}

/** Retries of a send that provably handed nothing over. */
const UNSENT_RETRIES = { retries: 3, minTimeout: 100, maxTimeout: 2_000, factor: 3, randomize: true };
/** A gap between wall and monotonic clock this large means that the machine slept: every held lease counts as lost. */
const SLEPT = 5_000;

/** Never rejects. The evidence of this one attempt; silence if the wait ended first. */
export async function driveAttempt(runtime: Runtime, ledger: Ledger, plan: SendPlan): Promise<WireEvidence> {
  const lease = keepLease(runtime, ledger, plan);
  try {
    return await sendUntilHandedOver(runtime, plan, lease);
  } finally {
    lease.stop();
  }
}

async function sendUntilHandedOver(runtime: Runtime, plan: SendPlan, lease: Lease): Promise<WireEvidence> {
  const first = await sendOnce(plan, lease);
  const { policy, budget, signal } = plan.run;
  if (!retryable(first) || policy.effect !== "write") return first;
  let last = first;
  const again = async () => {
    // The last pause ends with the budget: a send that leaves no time for an answer would turn proof into doubt.
    if (budget.remaining() - plan.keep < UNSENT_RETRIES.minTimeout) return last;
    last = await sendOnce(plan, lease);
    if (retryable(last)) throw new Error("not sent");
    return last;
  };
  const options = { ...UNSENT_RETRIES, maxRetryTime: Math.max(0, budget.remaining() - plan.keep) };
  await new Promise((resolve) => runtime.clock.after(UNSENT_RETRIES.minTimeout, () => resolve(undefined)));
  return pRetry(again, { ...options, ...(signal && { signal }) }).catch(() => last);
}

const retryable = (evidence: WireEvidence): boolean =>
  evidence.kind === "not_sent" && (evidence.cause === "connection_refused" || evidence.cause === "name_not_resolved");

async function sendOnce(plan: SendPlan, lease: Lease): Promise<WireEvidence> {
  const { placed } = plan;
  const { operation, policy, wire, budget, signal } = plan.run;
  // Most wires never look at the signal, and a controller costs more than the rest of this function.
  let controller: AbortController | undefined;
  const cancel = () => {
    controller ??= new AbortController();
    return controller;
  };
  const state = { handedOver: false, withdrawn: false };
  const attempt: Attempt = {
    operation: operation.id,
    tool: operation.group.tool,
    number: operation.record.attempts,
    arguments: placed.arguments,
    ...(placed.meta && { meta: placed.meta }),
    ...(placed.headers && { headers: placed.headers }),
    get cancel() {
      return cancel().signal;
    },
    mayStart() {
      if (state.handedOver || state.withdrawn || !lease.held() || signal?.aborted || plan.holds?.() === false)
        return false;
      state.handedOver = true;
      return true;
    },
    sentAgain: () => plan.sentAgain(),
    progressed: () => budget.progressed(),
    waiting(yes) {
      budget.waiting(yes);
      lease.waiting(yes);
    },
  };
  const answer = heard(wire, attempt);
  const raced = await budget.race(answer, signal, plan.keep);
  if (raced.kind === "value") return raced.value;
  if (!state.handedOver) {
    state.withdrawn = true;
    return { kind: "not_sent", cause: raced.kind === "aborted" ? "aborted_before_send" : "permit_lost" };
  }
  answer.then(plan.late);
  if (raced.kind === "aborted" && policy.cancel === "forward") cancel().abort();
  return { kind: "silence", cause: raced.kind === "aborted" ? "caller_aborted" : "deadline" };
}

/** A wire that breaks its word and rejects proves nothing. */
const heard = async (wire: Wire, attempt: Attempt): Promise<WireEvidence> => {
  try {
    return await wire.send(attempt);
  } catch {
    return { kind: "silence", cause: "transport_error" };
  }
};

interface Lease {
  /**
   * Whether it may still be used to start, seen from here: no other word on the operation, no pause longer than a third
   * of the lease, no sleep of the machine.
   */
  held(): boolean;
  waiting(yes: boolean): void;
  stop(): void;
}

/** Renews at a third of the lease while the attempt runs, so that a slow tool never looks abandoned. */
export function keepLease(
  runtime: Runtime,
  ledger: Ledger,
  plan: Pick<SendPlan, "grantedAt"> & { readonly run: Pick<Drive, "operation"> },
): Lease {
  const { clock } = runtime;
  const { operation } = plan.run;
  const third = operation.record.limits.lease / 3;
  const attempt = operation.record.attempts;
  const token = operation.record.tokens[attempt - 1] ?? "";
  const wallOffset = clock.wall() - clock.monotonic();
  let granted = plan.grantedAt;
  let waiting = false;
  let stopped = false;
  let cancel = clock.later(third, renew);

  function renew(): void {
    const asked = clock.monotonic();
    ledger
      .move(operation, { type: "renew", attempt, token, waiting })
      .then((moved) => {
        if (moved.kind === "moved") granted = asked;
      })
      .catch(() => {})
      .finally(() => {
        if (!stopped) cancel = clock.later(third, renew);
      });
  }

  // The late answer of an earlier attempt may settle the operation while this one waits for its hand-over.
  const running = () => operation.record.state === "in_flight" && operation.record.attempts === attempt;
  const slept = () => Math.abs(clock.wall() - clock.monotonic() - wallOffset) >= SLEPT;

  return {
    held: () => running() && clock.monotonic() - granted < third && !slept(),
    waiting(yes) {
      waiting = yes;
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
