/** One attempt under way: settles once, with the first evidence that counts, however late. */
import type { Attempt, HttpFacts, WireEvidence } from "../../src/entries/wire.ts";
import type { Frame, RequestFrame, RequestId } from "./frames.ts";

export interface Flight {
  readonly attempt: Attempt;
  readonly evidence: Promise<WireEvidence>;
  readonly settled: boolean;
  /** The first evidence wins; later evidence changes nothing. */
  settle(evidence: WireEvidence): void;
  readonly id: RequestId;
  /** A transport that sends this very object again is re-posting. */
  readonly frame: RequestFrame;
  /**
   * The server waits for somebody, for each reason at most once at a time.
   * @returns false where it waits for so many reasons that one more is not counted
   */
  wait(reason: string): boolean;
  goOn(reason: string): void;
  /** Ends the physical request of this attempt alone, where a transport has one per request. */
  readonly request: AbortController;
  /** What guardFetch saw of it. */
  readonly http: HttpWatch;
}

export interface HttpWatch {
  /** POSTs that were handed to `fetch`. */
  posts: number;
  /** The refusal that answered the last POST. */
  refusal?: HttpFacts;
  /** Where that POST went. */
  url?: string;
  /** guardFetch goes on reading when the transport is closed: evidence can still come. */
  reading: boolean;
  /** The answer as guardFetch read it; counts where the client's parser drops the frame. */
  answer?: Frame;
  /** The answer reached the tap by the client's own parser. */
  heard: boolean;
}

export function createFlight(attempt: Attempt, frame: RequestFrame): Flight {
  let resolve: (evidence: WireEvidence) => void = () => {};
  const evidence = new Promise<WireEvidence>((done) => {
    resolve = done;
  });
  const state = { settled: false };
  return {
    attempt,
    evidence,
    frame,
    id: frame.id,
    http: { posts: 0, reading: false, heard: false },
    request: new AbortController(),
    get settled() {
      return state.settled;
    },
    settle(fact) {
      if (state.settled) return;
      state.settled = true;
      resolve(fact);
    },
    ...waits(attempt, state),
  };
}

const MOST_REASONS = 100;

/** The attempt waits as long as one reason is left. */
function waits(attempt: Attempt, state: { readonly settled: boolean }): Pick<Flight, "wait" | "goOn"> {
  const reasons = new Set<string>();
  return {
    wait(reason) {
      if (reasons.size >= MOST_REASONS) return reasons.has(reason);
      reasons.add(reason);
      if (reasons.size === 1 && !state.settled) attempt.waiting(true);
      return true;
    },
    goOn(reason) {
      if (reasons.delete(reason) && reasons.size === 0 && !state.settled) attempt.waiting(false);
    },
  };
}
