/** The parts of one `tools/call` on its way through the guard, as types. {@link startCall} moves them. */

import type { GuardedCalls, TaskQuestion, WireEvidence } from "../../src/entries/wire.ts";
import type { Outcome } from "../../src/index.ts";
import type { Flight } from "./flight.ts";
import type { Frame, RequestId, ToolCallFrame } from "./frames.ts";

/** A request of the client that waits for a reply. */
export interface Waiter {
  readonly frame: ToolCallFrame;
  /** Asks for the permit, puts the flight's frame on the wire and lets evidence come. */
  transmit(flight: Flight, call: Call): void;
  /** Asks about a task on the way that the call took. It outlives the call, and holds nothing else of it. */
  readonly ask: (question: TaskQuestion) => Promise<WireEvidence>;
  /** Hands a reply over. False: nobody took it. A relay knows that only later. */
  reply(reply: Received): boolean | Promise<boolean>;
  /** Ends the request with the refusal of the transport itself, where a host or client acts on it: to sign in, to follow. */
  refused(): boolean;
  /** The request ends with this very error: the guard itself failed. */
  fail(error: unknown): void;
  /** Its client stopped listening. */
  leave(): void;
  /**
   * The outcome of a request that was taken back: it ends, where a request holds something open. Nothing counts as
   * delivered. Where several clients cannot be told apart it may have been another one's word, and its own client waits.
   */
  late?(reply: Received): void;
}

export interface CallHost {
  readonly guard: GuardedCalls;
  readonly server: string;
  /** For calls whose context has none, in ms. */
  readonly deadline: number | undefined;
  /** Operations whose handle a caller got who follows the task itself, by task. */
  readonly tasks: Map<string, string>;
  /** Calls of guarded clients that ask somebody what the server wants to know. */
  readonly paused: Set<ClientScope>;
  canSetHeaders(): boolean;
  /** An id that no client counts to. */
  freshId(): RequestId;
}

/** A frame as it came, with what the transport said beside it. */
export interface Received {
  readonly frame: Frame;
  readonly passedOn?: unknown;
}

export interface Call {
  readonly first: ToolCallFrame;
  /** The caller's own abort, known only from the call context. */
  readonly signal: AbortSignal | undefined;
  /** Of the guarded client's call that waits. */
  readonly scope: ClientScope | undefined;
  readonly flights: Flight[];
  /** Frames that came for it, by their result: a clean answer goes on as the object that came. */
  readonly received: Map<unknown, Received>;
  /** Settles when the reply was handed over or could not be. */
  done: Promise<void>;
  readonly waiter: Waiter;
  /** The last answer, where it is a question. */
  question?: Received;
  /** The request waits: not after the reply. */
  listening: boolean;
  /** The client took the request back: no reply is due, nothing counts as delivered. */
  abandoned: boolean;
  outcome?: Outcome;
}

/** Around one call of a guarded client, with all legs that its SDK makes of it. */
export interface ClientScope {
  /** The last frame that the tap handed to the SDK for this call. */
  reply?: Frame;
  outcome?: Outcome;
  /** The guard runs this call; settles with the outcome, also when nobody could be told through the SDK. */
  running?: Promise<Outcome>;
  /** Whether the outcome reached the SDK's own handler. */
  handedOver: boolean;
  /** The server asked for a further leg, and the SDK or the host has to bring it. */
  paused?: {
    /** The call ends without it. */
    end(): void;
    forget(): void;
  };
  /** The request ended with an error that the host has to see. */
  refused: boolean;
  /** An outcome that cannot go through the SDK, because no request of the call waits for an answer. */
  readonly aside: (outcome: Outcome) => void;
}
