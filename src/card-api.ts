/** The evidence card: a record of a test of repeats for one tool, one definition, one release. */
import type { Release, ServerIdentity } from "./core/baseline.ts";
import type { JsonObject, WireEvidence } from "./core/terms.ts";

/** `failed`: it does not keep the promise. `inconclusive`: the test could not tell, or could not have failed. */
export type CardVerdict = "passed" | "failed" | "inconclusive";

export type TrialName =
  | "once"
  | "repeat"
  | "changed_arguments"
  | "concurrent"
  | "lost_at_once"
  | "lost_after_effect"
  | "end_of_window"
  | "after_window"
  | "without_key"
  | "control"
  | "without_right";

export interface Trial {
  readonly name: TrialName;
  /** What was done, in words. */
  readonly did: string;
  readonly sends: number;
  /** What came back, send by send: kinds, never words of the server. */
  readonly answers: readonly string[];
  /** What the destination showed; absent: it could not say. */
  readonly effects?: number;
  readonly expected: string;
  readonly verdict: CardVerdict | "not_tested" | "observed";
  readonly why: string;
}

export interface Card {
  readonly version: 1;
  readonly server: string;
  readonly tool: string;
  readonly environment: string;
  readonly identity?: ServerIdentity | undefined;
  readonly release?: Release | undefined;
  /** Of the tool's definition when it was tested. */
  readonly fingerprint: string;
  /** Of the contract's terms that were tested; absent: none were declared. */
  readonly contract?: string | undefined;
  /** ISO date. */
  readonly on: string;
  readonly by: string;
  /** What is claimed: by the documentation the operator read, and by the publisher's hints. */
  readonly claim: readonly string[];
  /** What was in place, independent of the claim. */
  readonly controls: readonly string[];
  readonly arguments: JsonObject;
  readonly trials: readonly Trial[];
  /** Hints that the observations contradict. */
  readonly contradictions: readonly string[];
  readonly limits: readonly string[];
  readonly uncertain: readonly string[];
  readonly verdict: CardVerdict;
  /** Over all the rest: an edit by hand is seen. */
  readonly digest: string;
}

/** One raw send: arguments with the key in its place. */
export interface CardSend {
  readonly arguments: JsonObject;
  readonly meta?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a test needs from outside. Sends go around the guard: it would not repeat them. */
export interface CardPorts {
  send(send: CardSend): Promise<WireEvidence>;
  /** Sends, and ends the connection before the answer is read: at once, or when `until` says that the effect is there. */
  lose(send: CardSend, until?: () => Promise<boolean>): Promise<void>;
  /** The same send with a sign-in that may not write. */
  denied?(send: CardSend): Promise<WireEvidence>;
  /** Tells how far it is. */
  progress?(line: string): void;
}

export interface CardRequest {
  readonly server: string;
  readonly tool: string;
  /** One sound call. Its identity arguments get a fresh value for each trial. */
  readonly arguments: JsonObject;
  readonly actor: string;
  /** Overlapping repeats. @default 5 */
  readonly concurrent?: number;
  /**
   * Wait once, after the last trial, before all effects are counted again: a repeat may land late. In ms.
   * @default the tool's `settle`, as its look declares it, else 60_000
   */
  readonly settle?: number;
  /** Wait for the end of the contract's window, twice, if it comes within this many ms. @default 0: not tested */
  readonly waitForWindow?: number;
}
