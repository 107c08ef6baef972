/** The destination that counts. Its effect log is the only judge of a run. */
import type { JsonObject, WireEvidence } from "../../src/index.ts";
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
] as const;
export type Answer = (typeof ANSWERS)[number];

export const PLAIN: Fate = { gate: 0, answer: "ok", land: 0, reply: 0, cut: null };

export interface Request {
  readonly operation: string;
  readonly attempt: number;
  readonly item: string;
  readonly arguments: JsonObject;
  readonly key: string | undefined;
}

export interface Effect extends Request {
  readonly at: number;
}

export interface DestinationOptions {
  /** How long keys are remembered; undefined: keys are ignored. */
  readonly window: number | undefined;
  /** The key is checked on arrival, the effect comes later (A8). */
  readonly checksOnArrival: boolean;
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

const HAS_EFFECT: readonly Answer[] = ["ok", "tool_error_after_effect", "server_error_after_effect"];

export function destination(time: VirtualTime, options: DestinationOptions, tell: (line: string) => void): Destination {
  const effects: Effect[] = [];
  const keys = new Map<string, { until: number }>();
  const travelling = new Set<Request>();
  const firsts = new Map<string, JsonObject>();

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
    if (HAS_EFFECT.includes(answer)) {
      effects.push({ ...request, at: time.now() });
      if (request.key !== undefined && options.window !== undefined && !remembered(request.key)) {
        keys.set(request.key, { until: time.now() + options.window });
      }
      tell(`destination: EFFECT of ${name}`);
    } else tell(`destination: ${name} has no effect (${answer})`);
    return EVIDENCE[answer];
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
        time.after(fate.land, () => {
          const evidence = land(request, fate.answer, knownOnArrival);
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
const EVIDENCE: Readonly<Record<Exclude<Answer, "lost">, WireEvidence>> = {
  ok: RESULT,
  rejected: { kind: "rpc_error", code: -32602, message: "invalid params", id: "ours" },
  busy: { kind: "http_status", status: 429, retryAfter: 1_000 },
  tool_error_after_effect: toolError,
  tool_error: toolError,
  server_error_after_effect: { kind: "http_status", status: 500 },
  server_error: { kind: "http_status", status: 500 },
  connection_refused: { kind: "not_sent", cause: "connection_refused" },
};
