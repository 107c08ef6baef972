/** docs/decisions.md: what evidence means, who may send, and why something was not sent. */
import { ADMISSION } from "../../src/core/admission.ts";
import { CLASSIFICATION } from "../../src/core/classification-table.ts";
import { CONTRACT_OBSTACLES } from "../../src/core/contract.ts";
import { REASONS, REFUSALS } from "../../src/core/reasons.ts";
import { BASES, type Basis } from "../../src/core/terms.ts";
import { code, page, table } from "./markdown.ts";

const BASIS: Readonly<Record<Basis, string>> = {
  first: "The intent was just recorded; nothing was sent for it before.",
  unsent: "The attempt before it provably handed nothing over.",
  rejected:
    "The destination declined before any work, and the operator declared that such an answer may be followed by another send.",
  contract:
    "The destination documents that it collapses repeats of the key, the contract is in force, and its window is open.",
  observed_absent:
    "The destination was read often enough after quiescence and does not show the effect, and the tool says `resendWhenAbsent`.",
  operator: "A person ordered one more send, with a reason, on the record.",
};

const MEANING = {
  succeeded: "succeeded",
  answered_error: "failed, or uncertain where a hook or contract can find out",
  rejected: "rejected: nothing was done",
  already_there: "applied, by an earlier attempt of ours",
  paused: "goes on in another round, same operation",
  task: "in flight, under a handle",
  unsent: "not sent: the permit is given back",
  uncertain: "uncertain",
} as const;

export function decisionsPage(): string {
  return page(
    "# Decisions",
    "Every decision is a row of a table. The tables below are the ones that the code runs on; histories name the rows.",
    "## What evidence means",
    "Evidence is what was seen on the wire: handed over or not, a frame, a status, or nothing. Error classes and error texts are never read. **Where several rows match, the most doubtful wins; what no row lists is uncertain.**",
    table(
      ["row", "evidence", "means"],
      CLASSIFICATION.map(({ id, evidence, means }) => [code(id), evidence, MEANING[means]]),
    ),
    "A rejection speaks for its own attempt: while an earlier attempt is open, the operation stays uncertain.",
    "## Who may send",
    "`same` is the record of this very operation, `other` one that owns the same identity. The first row that fits is taken.",
    table(
      ["row", "relation", "in state", "when", "step"],
      ADMISSION.map(({ id, relation, states, when, step }) => [
        code(id),
        relation,
        states.join(", "),
        when,
        code(step),
      ]),
    ),
    "`send` spends the permit, `recover` looks at the destination and then resends if a contract allows it, `join` waits and shares the outcome, `recall` answers from the record, `hold` answers with what is known, `withdraw` takes out a record that sent nothing. Nothing but `send` and a resend by `recover` reaches the destination.",
    "## Bases: why a send is allowed",
    table(
      ["basis", "holds when"],
      BASES.map((basis) => [code(basis), BASIS[basis]]),
    ),
    "Nothing else is a basis: no time-out, no silence, no ended lease, no hint of a publisher.",
    "## Refusals: why we did not send",
    table(
      ["refusal", "why", "what the model reads"],
      Object.entries(REFUSALS).map(([refusal, { person, model }]) => [code(refusal), person, model]),
    ),
    "## Reasons: why an outcome is what it is",
    table(
      ["reason", "why", "what the model reads"],
      Object.entries(REASONS).map(([reason, { person, model }]) => [code(reason), person, model]),
    ),
    "## Why a contract is not in force",
    "Calls still pass; only the resend is off.",
    table(
      ["obstacle", "what to do"],
      Object.entries(CONTRACT_OBSTACLES).map(([obstacle, text]) => [code(obstacle), text]),
    ),
  );
}
