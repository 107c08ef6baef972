/** What is known of an operation, what is not, what each verdict would risk, and which are possible now. */
import type { ToolPolicy } from "./config.ts";
import { evolve } from "./core/lifecycle.ts";
import type { LifecycleEvent } from "./core/lifecycle-events.ts";
import { reasonFor } from "./core/reasons.ts";
import { type Instant, isDoubt, isSettled } from "./core/terms.ts";
import { taskNote } from "./next-step.ts";
import type { Operation } from "./operation.ts";
import type { AllowedVerdict, QueueDetail, Verdict } from "./queue-api.ts";

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
const seconds = (ms: number): string => `${Math.max(0, Math.ceil(ms / 1_000))} s`;

const STATED: Readonly<Record<string, string>> = {
  ready: "It may be sent; nothing of it is under way.",
  in_flight: "It is being carried out right now.",
  succeeded: "The server answered that it was done.",
  failed: "The server answered with an error. Whether anything was written first is not claimed.",
  rejected: "The server declined; nothing was done.",
  applied: "The effect is there.",
  not_applied: "The effect is not there.",
  partial: "A part of it took effect.",
  abandoned: "A person closed it without knowing whether it took effect.",
};

export function knownOf({ record, group }: Operation): string[] {
  const { attempts, probes = 0, absent = 0, limits, state } = record;
  return [
    attempts === 0 ? "Nothing of it was sent." : `It was sent ${times(attempts)}.`,
    ...(isDoubt(state) ? [reasonFor(record.reason).person] : [STATED[state] ?? ""]),
    ...(record.answered ? ["Every send was answered, with an answer that proves nothing."] : []),
    ...(probes > 0 ? [`The destination was asked ${times(probes)} without a clear answer.`] : []),
    ...(absent > 0
      ? [`It was seen to be absent ${times(absent)} in a row; ${limits.absentReads} are needed to count.`]
      : []),
    ...(state === "applied" && record.attributed === false
      ? ["The wanted state holds; nobody can say that this operation brought it about."]
      : []),
    ...(record.conflict ? [`Two pieces of evidence contradict each other: ${reasonFor(record.reason).person}`] : []),
    ...[taskNote({ record, group } as Operation)].filter((note) => note !== ""),
  ];
}

export function unknownOf({ record }: Operation, policy: ToolPolicy, now: Instant): string[] {
  const { state, open, quiesceAt = 0, limits, answered } = record;
  if (state === "failed" || state === "abandoned") return ["Whether it took effect."];
  if (state === "partial") return record.accepted ? [] : ["Who repairs the missing items, and when."];
  if (isSettled(state)) return record.conflict ? ["Which of the two is true."] : [];
  if (open === 0) return [];
  const sends = open === 1 ? "its send" : `${open} of its sends`;
  return [
    `Whether ${sends} took effect.`,
    ...(now < quiesceAt
      ? [`Whether it still will: a lost write can land for another ${seconds(quiesceAt - now)}.`]
      : []),
    ...(limits.settleDeclared || answered
      ? []
      : ["How late a lost write can land: nobody declared it, so no absence is believed."]),
    ...(policy.look ? [] : ["What the destination shows: no hook asks it."]),
  ];
}

export function riskOf({ record }: Operation, contract: QueueDetail["contract"], now: Instant): string[] {
  const { state, quiesceAt = 0, open } = record;
  if (record.conflict) return ["An assumption behind this tool is broken: others of its operations may be wrong, too."];
  if (!isDoubt(state)) return [];
  const collapses = contract?.status === "in_force";
  return [
    ...(now < quiesceAt
      ? [`Decided within ${seconds(quiesceAt - now)}, a verdict can be overtaken by a write that lands late.`]
      : []),
    "Called applied although it is not there: nobody will do it, and the caller believes that it was done.",
    "Called not applied although it is there: the next equal call does it a second time.",
    collapses
      ? "Sent once more although it is there: the contract says that the destination collapses it into the first."
      : `Sent once more although it is there: the effect happens ${open > 1 ? "yet another" : "a second"} time, for no contract in force protects it.`,
    "Closed without knowing: an equal call made on purpose may do it a second time.",
  ];
}

const EVENTS: Readonly<Record<Verdict, (override: boolean) => LifecycleEvent>> = {
  applied: () => ({ type: "operator_applied" }),
  not_applied: (override) => ({ type: "operator_absent", override }),
  resend: (override) => ({ type: "operator_resend", override }),
  abandon: () => ({ type: "operator_abandon" }),
};
export const VERDICTS = Object.keys(EVENTS) as Verdict[];

/** Empty where no verdict can come: settled operations are corrected, the others are on their way. */
export function allowedOf(operation: Operation, now: Instant): AllowedVerdict[] {
  if (isSettled(operation.record.state)) return [];
  return VERDICTS.map((verdict) => {
    const plain = evolve(operation.record, EVENTS[verdict](false), now);
    if (plain.kind === "moved") return { verdict, now: true };
    const overridden = evolve(operation.record, EVENTS[verdict](true), now).kind === "moved";
    const meaning = overridden ? ` An override would mean: ${MEANINGS[verdict] ?? ""}` : "";
    return { verdict, now: false, why: `${whyNot(operation, plain.why, now)}${meaning}` };
  });
}

const MEANINGS: Readonly<Partial<Record<Verdict, string>>> = {
  not_applied: "you vouch that no late write will land.",
  resend: "you order another send although one may still land, or beyond the number that was configured.",
};

/** @param why what the state machine said */
export function whyNot({ record, version }: Operation, why: string, now: Instant): string {
  if (why === "another version is there") {
    return `Somebody was faster: it is now version ${version}, ${record.state}. Look at it again before you decide.`;
  }
  if (why.includes("quiesced")) {
    const wait = seconds((record.quiesceAt ?? 0) - now);
    return `A lost write can still land for ${wait}. Decide after that, or with override if you know better.`;
  }
  if (why.includes("attempts_left"))
    return "It was sent as often as maxAttempts allows. Use override if it must be sent once more.";
  if (record.state === "in_flight") return "It is being carried out right now; wait for what comes of it.";
  if (record.state === "ready") return "It waits to be sent; wait for what comes of it.";
  return isSettled(record.state) && why.startsWith("operator_")
    ? `It is settled as ${record.state}. A settled outcome is corrected, not decided again.`
    : `That is not possible in state ${record.state} (${why}).`;
}
