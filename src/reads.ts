/** Declared reads: no record, retried on anything transient. The operator's word alone makes a tool a read. */
import pRetry from "p-retry";
import type { Budget } from "./budget.ts";
import type { Outcome } from "./core/outcome.ts";
import type { JsonObject, WireEvidence } from "./core/terms.ts";
import type { ToolCall } from "./guard-api.ts";
import type { Parts } from "./guard-parts.ts";
import { readAttempt } from "./links.ts";
import type { Wire } from "./wire.ts";

const RETRIES = { retries: 2, minTimeout: 100, maxTimeout: 2_000, factor: 3, randomize: true };
const TRANSIENT_STATUSES = [408, 425, 429, 500, 502, 503, 504];

export async function performRead(
  parts: Parts,
  call: ToolCall,
  args: JsonObject,
  { wire, budget }: { readonly wire: Wire; readonly budget: Budget },
): Promise<Outcome> {
  let attempts = 0;
  let last: WireEvidence = { kind: "silence", cause: "deadline" };
  const once = async () => {
    // A last try without time for an answer would hide the answer that there was.
    if (attempts > 0 && (budget.remaining() < RETRIES.minTimeout || !(await mayRepeat(parts, call)))) return last;
    const cancel = new AbortController();
    const attempt = {
      ...readAttempt(call.tool, args, cancel.signal),
      number: ++attempts,
      progressed: budget.progressed,
      waiting: budget.waiting,
    };
    const raced = await budget.race(wire.send(attempt), call.signal);
    if (raced.kind !== "value") cancel.abort();
    last =
      raced.kind === "value"
        ? raced.value
        : { kind: "silence", cause: raced.kind === "aborted" ? "caller_aborted" : "deadline" };
    if (isTransient(last) && budget.remaining() > 0) throw new Error("transient");
    return last;
  };
  const evidence = await once().catch(() =>
    pRetry(once, { ...RETRIES, maxRetryTime: budget.remaining(), ...(call.signal && { signal: call.signal }) }).catch(
      () => last,
    ),
  );
  return outcomeOfRead(call, evidence, attempts);
}

/** The declaration is the only ground for a repeat: the shared list is read anew before each one. */
const mayRepeat = async ({ standing }: Parts, { server, tool }: ToolCall): Promise<boolean> =>
  (await standing.look(0)) && !standing.isSuspended(server, tool);

function isTransient(evidence: WireEvidence): boolean {
  if (evidence.kind === "silence") return evidence.cause !== "deadline" && evidence.cause !== "caller_aborted";
  if (evidence.kind === "http_status") return TRANSIENT_STATUSES.includes(evidence.status);
  return evidence.kind === "not_sent" && evidence.cause !== "aborted_before_send";
}

function outcomeOfRead(call: ToolCall, evidence: WireEvidence, attempts: number): Outcome {
  const facts = { operation: "", server: call.server, tool: call.tool, attempts };
  if (evidence.kind === "result") {
    const kind = evidence.result.isError === true ? "failed" : "succeeded";
    return { ...facts, kind, answer: { kind: "result", result: evidence.result } };
  }
  if (evidence.kind !== "rpc_error") return { ...facts, kind: "failed" };
  const { code, message, data } = evidence;
  return { ...facts, kind: "failed", answer: { kind: "error", code, message, ...(data !== undefined && { data }) } };
}
