/** A probe before it is needed: the request that would go out, what an answer would mean, and, if wanted, the answer. */
import type { JsonObject, Observation } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { ToolCall } from "./guard-api.ts";
import type { Parts } from "./guard-parts.ts";
import { isRefusal, prepare, readArguments } from "./intake.ts";
import { lookFor } from "./look.ts";
import type { ToolPolicy } from "./policy.ts";
import { isProbe, type Probe } from "./probe/probe.ts";

export interface ProbeReport {
  readonly server: string;
  readonly tool: string;
  /** The read tool that is called; absent: a hook in code, SQL or HTTP. */
  readonly calls?: string;
  /** As it would go out; a text: what is missing for it. Absent: a hook in code, which cannot be looked into. */
  readonly request?: JsonObject | string;
  readonly correlation?: Probe["correlation"];
  /** What the answers would mean, one sentence each. */
  readonly meaning: readonly string[];
  /** With `ask`: what the destination said just now. */
  readonly observation?: Observation;
}

/** @throws IndoubtError CONFIG_INVALID when the tool has no hook, CALL_REFUSED when the call would be refused */
export async function reportProbe(parts: Parts, call: ToolCall, ask: boolean): Promise<ProbeReport> {
  const keys = await parts.runtime.ready();
  const policy = parts.runtime.settings.policy(call.server, call.tool, call.arguments);
  if (!policy.look) {
    const cure = `add reconcile to servers.${call.server}.tools.${call.tool}`;
    throw new IndoubtError("CONFIG_INVALID", `Nothing can look for a lost "${call.tool}": ${cure}.`);
  }
  const given = readArguments(parts.runtime, call);
  const prepared = isRefusal(given) ? given : prepare(parts.runtime, keys, parts.catalog, call, policy, given);
  if (isRefusal(prepared)) {
    throw new IndoubtError("CALL_REFUSED", prepared.detail, { details: { because: prepared.because } });
  }
  const { intent, look } = await lookFor(parts, prepared);
  const { server, tool } = call;
  const known = isProbe(policy.look) ? policy.look : undefined;
  const observation = ask ? await look() : undefined;
  return {
    server,
    tool,
    ...(known?.calls !== undefined && { calls: known.calls }),
    ...(known && { request: known.request(intent), correlation: known.correlation }),
    meaning: meaningOf(policy, known),
    ...(observation && { observation }),
  };
}

const BY: Readonly<Record<Probe["correlation"], string>> = {
  key: "by our key: one that matches is this effect, two are two effects of it, which is an alarm",
  arguments: "by fields that identify one effect, by your word: two that match are an alarm",
  watermark: "by being newer than what was there before the send: one that matches is this effect, several are unclear",
  count: "by the number that match, against the number before the send: one more is there, cause unknown",
  none: "by nothing that identifies it: one that matches is there, cause unknown; several are unclear",
};

function meaningOf({ limits, look }: ToolPolicy, known: Probe | undefined): string[] {
  const { settle, settleDeclared, staleness, absentReads, resendWhenAbsent, maxProbes } = limits;
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  const absence = settleDeclared
    ? `None: an absence. It counts ${seconds(settle + staleness)} after the last send at the earliest, and after ${absentReads} such looks the operation is not_applied.`
    : "None: nothing yet. No settle time is declared, so an absence after silence is never believed.";
  return [
    ...(known
      ? [`A match correlates ${BY[known.correlation]}.`]
      : [`The hook is code (${look?.name || "a function"}): only its answers can be seen.`]),
    absence,
    resendWhenAbsent
      ? "After that it may be sent again by itself, once."
      : "After that a person or the caller decides about another send.",
    `Anything else is unclear: an error, a time-out, an answer of another form. After ${maxProbes} unclear looks a person is asked.`,
  ];
}
