/** One attempt under way: settles once, with the first evidence that counts, however late. */
import type { Attempt, WireEvidence } from "../../src/index.ts";
import { type HttpFacts, ofContinuation } from "./evidence.ts";
import type { Frame, RequestFrame, RequestId } from "./frames.ts";

export interface Flight {
  readonly attempt: Attempt;
  readonly evidence: Promise<WireEvidence>;
  readonly settled: boolean;
  /** The first evidence wins; later evidence changes nothing. */
  settle(evidence: WireEvidence): void;
  /** The id of the leg that is out now. */
  readonly id: RequestId;
  /** The frame of the leg that is out now: a transport that sends this very object again is re-posting. */
  readonly frame: RequestFrame;
  /** 1 for the first. */
  readonly legs: number;
  /** A further leg of the same call goes out. */
  leg(frame: RequestFrame): void;
  /** The server waits for somebody, for each reason at most once at a time. */
  wait(reason: string): void;
  goOn(reason: string): void;
  /** Ends the physical request of this attempt alone, where a transport has one per request. */
  readonly request: AbortController;
  /** What guardFetch saw of it. */
  readonly http: HttpWatch;
}

export interface HttpWatch {
  /** POSTs of the current leg that were handed to `fetch`. */
  posts: number;
  /** The refusal that answered the last POST. */
  refusal?: HttpFacts;
  /** Where that POST went. */
  url?: string;
  /** guardFetch goes on reading when the transport is closed: evidence can still come. */
  reading: boolean;
  /** The answer as guardFetch read it; counts where the client's parser drops the frame. */
  answer?: Frame;
  /** The answer of this leg reached the tap by the client's own parser. */
  heard: boolean;
}

export function createFlight(attempt: Attempt, first: RequestFrame): Flight {
  let resolve: (evidence: WireEvidence) => void = () => {};
  const evidence = new Promise<WireEvidence>((done) => {
    resolve = done;
  });
  const state = { settled: false, frame: first, legs: 1 };
  const http: HttpWatch = { posts: 0, reading: false, heard: false };
  return {
    attempt,
    evidence,
    http,
    request: new AbortController(),
    get settled() {
      return state.settled;
    },
    get id() {
      return state.frame.id;
    },
    get frame() {
      return state.frame;
    },
    get legs() {
      return state.legs;
    },
    settle(fact) {
      if (state.settled) return;
      state.settled = true;
      resolve(state.legs === 1 ? fact : ofContinuation(fact));
    },
    leg(next) {
      state.frame = next;
      state.legs += 1;
      watchAgain(http);
    },
    ...waits(attempt, state),
  };
}

function watchAgain(http: HttpWatch): void {
  http.posts = 0;
  http.reading = false;
  http.heard = false;
  delete http.refusal;
  delete http.answer;
  delete http.url;
}

/** The attempt waits as long as one reason is left. */
function waits(attempt: Attempt, state: { readonly settled: boolean }): Pick<Flight, "wait" | "goOn"> {
  const reasons = new Set<string>();
  return {
    wait(reason) {
      reasons.add(reason);
      if (reasons.size === 1 && !state.settled) attempt.waiting(true);
    },
    goOn(reason) {
      if (reasons.delete(reason) && reasons.size === 0 && !state.settled) attempt.waiting(false);
    },
  };
}
