/** A small engine for the tap's tests: admits, sends, waits for evidence or the deadline, answers. Keeps no record. */

import type {
  Attempt,
  GuardedCalls,
  ToolCall,
  ToolDefinition,
  Wire,
  WireEvidence,
  WirePolicy,
} from "../../../../src/entries/wire.ts";
import type { Answer, JsonObject, Outcome, OutcomeFacts } from "../../../../src/index.ts";

export interface FakeGuardOptions {
  /** An outcome instead of a send; may look at the call. */
  readonly admit?: (call: ToolCall) => Partial<Outcome> | undefined | Promise<Partial<Outcome> | undefined>;
  /** Time between evidence and outcome, in ms: the reply is held so long. */
  readonly recording?: number;
  /** @default 10000 */
  readonly deadline?: number;
  readonly cancel?: WirePolicy["cancel"];
  /** Sends again after doubt, up to so many sends. @default 1 */
  readonly sends?: number;
  readonly attempt?: Partial<Attempt>;
  readonly permit?: () => boolean;
}

export interface FakeGuard extends GuardedCalls {
  readonly calls: ToolCall[];
  /** In the order in which it came, late evidence included. */
  readonly evidence: WireEvidence[];
  readonly outcomes: Outcome[];
  readonly told: Outcome[];
  readonly tools: string[];
  readonly waits: boolean[];
  readonly wires: Wire[];
  progress: number;
}

const REJECTING_CODES = [-32700, -32600, -32601, -32602, -32020, -32022];

export function fakeGuard(options: FakeGuardOptions = {}): FakeGuard {
  const guard: FakeGuard = {
    calls: [],
    evidence: [],
    outcomes: [],
    told: [],
    tools: [],
    waits: [],
    wires: [],
    progress: 0,
    closing: new AbortController().signal,
    perform: async (call, wire) => {
      guard.calls.push(call);
      const outcome = await run(guard, options, call, wire);
      guard.outcomes.push(outcome);
      call.onOutcome?.(outcome);
      return outcome;
    },
    wirePolicy: () => ({ effect: "write", cancel: options.cancel ?? "withhold", maxDeadline: 10_000 }),
    toolsSeen: (_server, tools: readonly ToolDefinition[]) => void guard.tools.push(...tools.map(({ name }) => name)),
    toolsAsked: () => 0,
    toolsChanged: () => {},
    toolResult,
    delivered: (outcome) => void guard.told.push(outcome),
    taskHeard: () => {},
    connected: (_server, wire) => {
      guard.wires.push(wire);
      return () => void guard.wires.splice(guard.wires.indexOf(wire), 1);
    },
  };
  return guard;
}

const factsOf = ({ server, tool }: ToolCall, attempts: number): OutcomeFacts => ({
  operation: "op_test",
  server,
  tool,
  attempts,
});

async function run(guard: FakeGuard, options: FakeGuardOptions, call: ToolCall, wire: Wire): Promise<Outcome> {
  const admitted = await options.admit?.(call);
  if (admitted) return { ...factsOf(call, 0), ...admitted } as Outcome;
  const facts = factsOf(call, 1);
  for (let number = 1; ; number += 1) {
    const evidence = await attempt(guard, options, call, wire, number);
    await sleep(options.recording ?? 0);
    const outcome = { ...facts, attempts: number, ...read(evidence) } as Outcome;
    if (outcome.kind !== "uncertain" || number >= (options.sends ?? 1)) return outcome;
  }
}

async function attempt(
  guard: FakeGuard,
  options: FakeGuardOptions,
  call: ToolCall,
  wire: Wire,
  number: number,
): Promise<WireEvidence> {
  const cancel = new AbortController();
  const limit = clock(call.deadline ?? options.deadline ?? 10_000);
  const sent = wire.send({ ...attemptOf(guard, options, call, limit), number, cancel: cancel.signal });
  const seen = sent.then((evidence) => {
    guard.evidence.push(evidence);
    return evidence;
  });
  const left = new Promise<WireEvidence>((resolve) => {
    call.signal?.addEventListener("abort", () => {
      if (options.cancel === "forward") cancel.abort();
      resolve({ kind: "silence", cause: "caller_aborted" });
    });
  });
  try {
    return await Promise.race([seen, limit.over, left]);
  } finally {
    limit.stop();
  }
}

const attemptOf = (
  guard: FakeGuard,
  options: FakeGuardOptions,
  call: ToolCall,
  limit: ReturnType<typeof clock>,
): Omit<Attempt, "number" | "cancel"> => ({
  operation: "op_test",
  tool: call.tool,
  arguments: structuredClone((call.arguments ?? {}) as JsonObject),
  mayStart: () => options.permit?.() ?? true,
  progressed: () => {
    guard.progress += 1;
    limit.restart();
  },
  sentAgain: () => {},
  waiting: (yes) => {
    guard.waits.push(yes);
    if (yes) limit.stop();
    else limit.restart();
  },
  ...options.attempt,
});

function clock(ms: number) {
  let timer: NodeJS.Timeout | undefined;
  let end: (evidence: WireEvidence) => void = () => {};
  const over = new Promise<WireEvidence>((resolve) => {
    end = resolve;
  });
  const stop = (): void => clearTimeout(timer);
  const restart = (): void => {
    stop();
    timer = setTimeout(() => end({ kind: "silence", cause: "deadline" }), ms);
  };
  restart();
  return { over, stop, restart };
}

function read(evidence: WireEvidence): Partial<Outcome> {
  switch (evidence.kind) {
    case "result": {
      if (evidence.result.resultType === "input_required") return asked({ kind: "result", result: evidence.result });
      const answer: Answer = { kind: "result", result: evidence.result };
      return evidence.result.isError === true ? { kind: "failed", answer } : { kind: "succeeded", answer };
    }
    case "rpc_error": {
      const { code, message, data } = evidence;
      if (code === -32042) return asked({ kind: "error", code, message });
      if (evidence.id !== "ours" || !REJECTING_CODES.includes(code)) return doubt(`error ${code}`);
      return { kind: "rejected", answer: { kind: "error", code, message, ...(data !== undefined && { data }) } };
    }
    case "http_status":
      return (evidence.status === 401 && evidence.challenge) || [307, 308, 405, 413].includes(evidence.status)
        ? { kind: "rejected" }
        : doubt(`status ${evidence.status}`);
    case "not_sent":
      return { kind: "refused", because: evidence.cause, detail: "Nothing was sent." };
    case "silence":
      return doubt(evidence.cause);
  }
}

const asked = (answer: Answer): Partial<Outcome> => ({
  kind: "uncertain",
  reason: "input_required",
  state: "in_flight",
  answer,
});
const doubt = (reason: string): Partial<Outcome> => ({ kind: "uncertain", reason, state: "uncertain" });

function toolResult(outcome: Outcome): JsonObject {
  const marked = outcome.recalled || outcome.joined || outcome.attempts > 1;
  if ("answer" in outcome && outcome.answer?.kind === "result") {
    const { result } = outcome.answer;
    if (!marked) return result;
    const content = Array.isArray(result.content) ? result.content : [];
    const text = outcome.joined ? "Shared with the same call that was in flight." : "Answered from the record.";
    return { ...result, content: [...content, { type: "text", text }], _meta: { "indoubt/outcome": outcome.kind } };
  }
  const text = `[indoubt:${outcome.kind}] This call may or may not have taken effect. Do not repeat it.`;
  return { isError: true, content: [{ type: "text", text }], _meta: { "indoubt/outcome": outcome.kind } };
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
