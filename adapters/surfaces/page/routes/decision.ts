/** A form as a decision, or what is missing in it. */
import { randomUUID } from "node:crypto";
import type { Correction } from "../../../../src/entries/queue.ts";
import type { JsonObject } from "../../../../src/index.ts";
import { type Ask, actorOf, type Desk } from "../context.ts";
import type { Form } from "../form.ts";
import { refuse } from "../problems.ts";
import type { Typed } from "../views/decision-form.ts";
import { isState, isVerdict } from "../words.ts";

export interface Decision {
  readonly typed: Typed;
  /** Absent where something is missing: `typed.wrong` says what. */
  readonly run?: (desk: Desk, c: Ask, id: string) => Promise<unknown>;
}

export const LONGEST_REASON = 2_000;
const LONGEST_REF = 300;
const DECISION = /^[\w-]{8,80}$/;

/** Names the decision; a form without one, or with a strange one, gets a new one. */
export const decisionName = (form: Form): string =>
  DECISION.test(form.text("decision")) ? form.text("decision") : randomUUID();

type Wrong = NonNullable<Typed["wrong"]>;

export function readVerdict(form: Form): Decision {
  const typed = typedIn(form);
  const { verdict } = typed;
  const version = versionIn(form);
  if (!isVerdict(verdict)) return { typed: { ...typed, wrong: { field: "verdict", message: "Choose a verdict." } } };
  const wrong = wrongIn(typed);
  if (wrong) return { typed: { ...typed, wrong } };
  const result = resultIn(typed);
  if (result.wrong) return { typed: { ...typed, wrong: result.wrong } };
  // What is only for `applied` stays in the form and out of any other verdict.
  const found = verdict === "applied" ? { ...refIn(typed), ...(result.value && { result: result.value }) } : {};
  const { reason = "", decision, override } = typed;
  return {
    typed,
    run: (desk, c, id) =>
      desk.queue.resolve(id, {
        verdict,
        version,
        actor: actorOf(c),
        reason,
        decision,
        ...(override && { override }),
        ...found,
      }),
  };
}

export function readCorrection(form: Form): Decision {
  const typed = typedIn(form);
  const { to, reason = "", decision } = typed;
  const version = versionIn(form);
  if (to === undefined || !isState(to))
    return { typed: { ...typed, wrong: { field: "to", message: "Choose what it is in truth." } } };
  const wrong = wrongIn(typed);
  if (wrong) return { typed: { ...typed, wrong } };
  return {
    typed,
    // The queue itself refuses a state that is not settled.
    run: (desk, c, id) =>
      desk.queue.correct(id, {
        to: to as Correction["to"],
        version,
        actor: actorOf(c),
        reason,
        decision,
        ...refIn(typed),
      }),
  };
}

function versionIn(form: Form): number {
  const version = form.whole("version");
  if (version === undefined) throw refuse(400, "The form has no version. Load the page again.");
  return version;
}

function typedIn(form: Form): Typed {
  const some = (name: string) => (form.text(name) === "" ? {} : { [name]: form.text(name) });
  return {
    ...some("verdict"),
    ...some("to"),
    ...some("reason"),
    ...some("ref"),
    ...some("result"),
    ...(form.text("override") === "yes" && { override: true }),
    decision: decisionName(form),
  };
}

function wrongIn({ reason = "", ref = "" }: Typed): Wrong | undefined {
  if (reason.trim() === "")
    return { field: "reason", message: "Write down why: a decision without a reason is not recorded." };
  if (reason.length > LONGEST_REASON) return { field: "reason", message: `Use at most ${LONGEST_REASON} characters.` };
  if (ref.length > LONGEST_REF) return { field: "ref", message: `Use at most ${LONGEST_REF} characters.` };
  return undefined;
}

const refIn = ({ ref }: Typed): { ref?: string } => (ref === undefined || ref.trim() === "" ? {} : { ref: ref.trim() });

function resultIn({ result }: Typed): { value?: JsonObject; wrong?: Wrong } {
  if (result === undefined || result.trim() === "") return {};
  const wrong: Wrong = {
    field: "result",
    message: 'This is no JSON object. Write one such as {"id": "inv_1"}, or leave it empty.',
  };
  try {
    const value: unknown = JSON.parse(result);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { value: value as JsonObject }
      : { wrong };
  } catch {
    return { wrong };
  }
}
