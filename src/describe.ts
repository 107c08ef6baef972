/** The account of a call for the person who approves it, in plain words, before anything is sent. */
import { redact } from "./core/redaction.ts";
import type { JsonObject } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { ToolCall } from "./guard-api.ts";
import type { Parts } from "./guard-parts.ts";
import { isRefusal, prepare } from "./intake.ts";

export interface CallDescription {
  /** The configured identity of the server, never what it calls itself. */
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Names exactly these arguments: `perform({ expect })` refuses any others. */
  readonly digest: string;
  readonly effect: "read" | "write";
  readonly declared: boolean;
  /** What is not known before the call. */
  readonly unknown: readonly string[];
}

/** @throws IndoubtError CALL_REFUSED when the call would be refused as it stands */
export async function describe(parts: Parts, call: ToolCall): Promise<CallDescription> {
  const { expect: _e, confirmRepeatOf: _c, ...plain } = call;
  const prepared = prepare(parts.runtime, await parts.runtime.ready(), parts.catalog, plain);
  if (isRefusal(prepared)) {
    throw new IndoubtError("CALL_REFUSED", prepared.detail, { details: { because: prepared.because } });
  }
  const { policy } = prepared;
  return {
    server: call.server,
    tool: call.tool,
    arguments: redact(prepared.arguments, policy.redact, policy.identityArgs).value,
    digest: prepared.digest,
    effect: policy.effect,
    declared: policy.declared,
    unknown: [
      ...(policy.declared ? [] : ["The operator has not declared this tool: it is treated as a write."]),
      ...(policy.look ? [] : ["If the answer is lost, nothing can ask the destination whether it happened."]),
      ...(policy.contract ? [] : ["No reviewed contract says that the destination collapses repeats."]),
    ],
  };
}
