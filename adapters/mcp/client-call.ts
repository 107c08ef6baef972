/** One call through a guarded client: our deadline, our word on doubt, the SDK's types. */

import type { GuardedCalls } from "../../src/entries/wire.ts";
import { type CallContext, type JsonObject, type Outcome, withCallContext } from "../../src/index.ts";
import { withComplaint } from "./complaint.ts";
import { isObject } from "./frames.ts";
import type { ClientScope } from "./guarded-call.ts";
import { clientScope } from "./scope.ts";

/** What we read of the SDKs' request options; the rest passes through. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number | undefined;
  readonly maxTotalTimeout?: number | undefined;
  readonly resetTimeoutOnProgress?: boolean | undefined;
}

/** The longest time that a timer takes, in ms: more would fire at once. */
const NO_TIMER = 2 ** 31 - 1;

export interface Ran {
  readonly scope: ClientScope;
  /** What `callTool` resolves or rejects with. */
  readonly result: Promise<unknown>;
}

/**
 * Runs `invoke` with the SDK's timers out of the way. The caller's abort and timeout become the guard's: an SDK that
 * gave up by itself would throw, and its error would hide what is known of the call.
 */
export function runCall(
  guard: GuardedCalls,
  options: RequestOptions,
  context: CallContext,
  invoke: (options: RequestOptions) => Promise<unknown>,
): Ran {
  let aside: (outcome: Outcome) => void = () => {};
  const besideSdk = new Promise<Outcome>((resolve) => {
    aside = resolve;
  });
  const scope: ClientScope = { handedOver: false, refused: false, aside };
  const { signal, timeout, maxTotalTimeout, ...rest } = options;
  const deadline = timeout ?? maxTotalTimeout;
  const ours: CallContext = {
    ...(signal && { signal }),
    ...(deadline !== undefined && { deadline }),
    ...context,
  };
  const aborted = ours.signal?.aborted ? { signal: ours.signal } : {};
  const relaxed = { ...rest, ...aborted, timeout: NO_TIMER, resetTimeoutOnProgress: true };
  const viaSdk = withCallContext(ours, () => clientScope.run(scope, async () => invoke(relaxed)));
  const result = Promise.race([
    viaSdk.catch((error: unknown) => afterFailure(guard, scope, error)),
    besideSdk.then((outcome) => told(guard, outcome)),
  ]).finally(() => scope.paused?.forget());
  return { scope, result };
}

/** The SDK threw: about a result that came, or instead of an outcome that is still to come, or for a good reason. */
async function afterFailure(guard: GuardedCalls, scope: ClientScope, error: unknown): Promise<unknown> {
  if (scope.handedOver && isObject(scope.reply?.result)) return withComplaint(scope.reply.result, error);
  if (scope.handedOver || scope.paused || scope.refused || !scope.running) throw error;
  return told(guard, await scope.running);
}

function told(guard: GuardedCalls, outcome: Outcome): JsonObject {
  const result = guard.toolResult(outcome);
  guard.delivered(outcome);
  return result;
}
