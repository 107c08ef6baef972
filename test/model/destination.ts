/** The destination that counts. Its effect log is the only judge of a run. */

import type { WireEvidence } from "../../src/entries/wire.ts";
import type { JsonObject } from "../../src/index.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** What happens to one request. Times in ms. */
export interface Fate {
  /** Waits this long below the engine before the hand-over (queueing, token refresh). */
  readonly gate: number;
  readonly answer: Answer;
  /** From the hand-over until it is dealt with at the destination. */
  readonly land: number;
  /** From there until the answer is heard; `null`: never. */
  readonly reply: number | null;
  /** The connection breaks this long after the hand-over; an answer after that is lost. */
  readonly cut: number | null;
}

export const ANSWERS = [
  "ok",
  "lost",
  "rejected",
  "busy",
  "tool_error_after_effect",
  "tool_error",
  "server_error_after_effect",
  "server_error",
  "connection_refused",
  "asks",
  "asks_after_effect",
  "asks_for_a_visit",
] as const;
export type Answer = (typeof ANSWERS)[number];

export const PLAIN: Fate = { gate: 0, answer: "ok", land: 0, reply: 0, cut: null };

export interface Request {
  readonly operation: string;
  readonly attempt: number;
  readonly item: string;
  readonly arguments: JsonObject;
  readonly key: string | undefined;
  /** It answers the question that came with this state. */
  readonly state: string | undefined;
}

export interface Effect extends Request {
  readonly at: number;
}

export interface DestinationOptions {
  /** How long keys are remembered; undefined: keys are ignored. */
  readonly window: number | undefined;
  /** The key is checked on arrival, the effect comes later (A8). */
  readonly checksOnArrival: boolean;
  /** Every call for an item is asked the same, to come again with the same state. */
  readonly asksTheSame: boolean;
}

export interface Destination {
  readonly effects: readonly Effect[];
  /** Requests handed over and not yet dealt with. */
  underWay(operation?: string): number;
  /** @returns the answer as it is heard on the wire; may never resolve */
  receive(request: Request, fate: Fate): Promise<WireEvidence>;
  /** Arguments of the first request of an operation, if there was one. */
  first(operation: string): JsonObject | undefined;
  effectsOf(operation: string): number;
  /** A read: effects younger than `staleness` may be missing. */
  seen(operation: string, staleness: number): number;
}

const HAS_EFFECT: readonly Answer[] = [
  "ok",
  "tool_error_after_effect",
  "server_error_after_effect",
  "asks_after_effect",
];

export function destination(time: VirtualTime, options: DestinationOptions, tell: (line: string) => void): Destination {
  const effects: Effect[] = [];
  const keys = new Map<string, { until: number }>();
  const travelling = new Set<Request>();
  const firsts = new Map<string, JsonObject>();
  /** States of questions that were asked after the effect: what answers them has none. */
  const done = new Set<string>();
  let questions = 0;

  const remembered = (key: string | undefined): boolean =>
    options.window !== undefined && key !== undefined && (keys.get(key)?.until ?? 0) > time.now();

  function land(request: Request, answer: Answer, knownOnArrival: boolean): WireEvidence | undefined {
    travelling.delete(request);
    const name = `attempt ${request.attempt} for ${request.item}`;
    if (answer === "lost") {
      tell(`network: ${name} is lost`);
      return undefined;
    }
    const known = options.checksOnArrival ? knownOnArrival : remembered(request.key);
    if (known && answer !== "rejected" && answer !== "busy") {
      tell(`destination: ${name} has a known key, nothing done`);
      return RESULT;
    }
    const isDone = request.state !== undefined && done.has(request.state);
    const takesEffect = HAS_EFFECT.includes(answer) && !isDone;
    if (takesEffect) {
      effects.push({ ...request, at: time.now() });
      if (request.key !== undefined && options.window !== undefined && !remembered(request.key)) {
        keys.set(request.key, { until: time.now() + options.window });
      }
      tell(`destination: EFFECT of ${name}`);
    } else tell(`destination: ${name} has no effect (${answer})`);
    // A visit means the whole call again: nobody who has done something asks for that.
    const comesAgain = answer === "asks" || answer === "asks_after_effect" || (isDone && answer === "asks_for_a_visit");
    return comesAgain ? question(request, takesEffect || isDone) : EVIDENCE[answer];
  }

  /** It keeps nothing but the effect: whoever comes with the state, and as often, is served. */
  function question({ item }: Request, isDone: boolean): WireEvidence {
    questions += 1;
    const requestState = options.asksTheSame ? `about ${item}` : `question ${questions}`;
    if (isDone) done.add(requestState);
    tell(`destination: asks, to come again with "${requestState}"`);
    return { kind: "result", result: { resultType: "input_required", requestState } };
  }

  return {
    effects,
    underWay: (operation) =>
      [...travelling].filter((request) => operation === undefined || request.operation === operation).length,
    first: (operation) => firsts.get(operation),
    effectsOf: (operation) => effects.filter((effect) => effect.operation === operation).length,
    seen: (operation, staleness) =>
      effects.filter((effect) => effect.operation === operation && effect.at <= time.now() - staleness).length,
    receive(request, fate) {
      if (!firsts.has(request.operation)) firsts.set(request.operation, request.arguments);
      if (fate.answer === "connection_refused") return Promise.resolve(EVIDENCE.connection_refused);
      travelling.add(request);
      const knownOnArrival = remembered(request.key);
      return new Promise((resolve) => {
        let heard = false;
        const hear = (evidence: WireEvidence) => {
          if (heard) return;
          heard = true;
          tell(`network: ${evidence.kind} is heard for attempt ${request.attempt} for ${request.item}`);
          resolve(evidence);
        };
        if (fate.cut !== null) time.after(fate.cut, () => hear({ kind: "silence", cause: "connection_closed" }));
        // Where the questions are all the same, the destination cannot tell for which of them there is an effect.
        const answer = options.asksTheSame && fate.answer === "asks_after_effect" ? "asks" : fate.answer;
        time.after(fate.land, () => {
          const evidence = land(request, answer, knownOnArrival);
          if (evidence && fate.reply !== null) time.after(fate.reply, () => hear(evidence));
        });
      });
    },
  };
}

const RESULT: WireEvidence = { kind: "result", result: { content: [{ type: "text", text: "created" }] } };
const toolError: WireEvidence = {
  kind: "result",
  result: { content: [{ type: "text", text: "something went wrong" }], isError: true },
};
const EVIDENCE: Readonly<Record<Exclude<Answer, "lost" | "asks" | "asks_after_effect">, WireEvidence>> = {
  ok: RESULT,
  rejected: { kind: "rpc_error", code: -32602, message: "invalid params", id: "ours" },
  busy: { kind: "http_status", status: 429, retryAfter: 1_000 },
  tool_error_after_effect: toolError,
  tool_error: toolError,
  server_error_after_effect: { kind: "http_status", status: 500 },
  server_error: { kind: "http_status", status: 500 },
  connection_refused: { kind: "not_sent", cause: "connection_refused" },
  asks_for_a_visit: { kind: "rpc_error", code: -32042, message: "visit the page", id: "ours" },
};
