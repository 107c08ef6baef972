/** Requests that end with something that outlives them, such as the guard or the proxy. */

export interface Ending {
  /** Aborts with the first of the two. */
  readonly signal: AbortSignal;
  /** The request is over, its body was read: nothing is left of it. */
  release(): void;
}

/** By what they end with. One listener for all: of many, Node.js warns. */
const running = new WeakMap<AbortSignal, Set<AbortController>>();

/** Not `AbortSignal.any`: on Node.js 20 that leaves something behind at the longer-lived signal, each time and for good. */
export function endingWith(outlives: AbortSignal | undefined, own: AbortSignal): Ending {
  if (!outlives) return { signal: own, release: () => {} };
  const request = new AbortController();
  const abort = (): void => request.abort(own.reason);
  if (own.aborted) abort();
  if (outlives.aborted) request.abort(outlives.reason);
  own.addEventListener("abort", abort, { once: true });
  const others = runningUnder(outlives);
  others.add(request);
  return {
    signal: request.signal,
    release() {
      own.removeEventListener("abort", abort);
      others.delete(request);
    },
  };
}

function runningUnder(outlives: AbortSignal): Set<AbortController> {
  const known = running.get(outlives);
  if (known) return known;
  const requests = new Set<AbortController>();
  const end = (): void => {
    for (const request of requests) request.abort(outlives.reason);
  };
  outlives.addEventListener("abort", end, { once: true });
  running.set(outlives, requests);
  return requests;
}
