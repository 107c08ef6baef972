/** docs/errors.md: every error code, what it says about the destination, and its cure. */
import { type Effect, ERROR_CODES, type ErrorCode } from "../../src/errors.ts";
import { code, page, table } from "./markdown.ts";

interface Explained {
  readonly effects: readonly Effect[];
  readonly happened: string;
  readonly cure: string;
}

const ERRORS: Readonly<Record<ErrorCode, Explained>> = {
  CONFIG_INVALID: {
    effects: ["none"],
    happened: "The configuration, an option or a decision handed to the queue is not valid. Nothing was sent.",
    cure: "Each line of the text names a path and what to write there: [options](config.md).",
  },
  CONTRACT_INVALID: {
    effects: ["none"],
    happened: "A contract misses a term or has one that cannot hold.",
    cure: "Write what the destination documents; each line of the text names the term.",
  },
  CONTRACT_SUSPENDED: {
    effects: ["none"],
    happened: "What was asked for rests on a contract that is suspended.",
    cure: "Look at the reason of the suspension and at the destination, then lift it by hand.",
  },
  CALL_REFUSED: {
    effects: ["none"],
    happened:
      "The call cannot be made as it stands; `details.because` is one of the [refusals](decisions.md#refusals-why-we-did-not-send).",
    cure: "Follow the text. Thrown by your own function under `guardFunction`, it says that nothing was sent.",
  },
  OUTCOME_UNCERTAIN: {
    effects: ["possible"],
    happened: "The outcome of a call is not known, where only an error can say so.",
    cure: "Do not send it once more. Find `details.operation` in the queue.",
  },
  STORE_UNAVAILABLE: {
    effects: ["none", "possible"],
    happened: "The store did not answer, or refused. With effect `possible` the write to the store may have been made.",
    cure: "Bring the store back; writes fail closed until then, and outcomes wait in the spool.",
  },
  OUTCOME_UNRECORDED: {
    effects: ["confirmed", "possible"],
    happened: "An answer came, but the store could not take it.",
    cure: "Bring the store back and let this process live: it brings the outcome home from memory or from the spool.",
  },
  LEASE_LOST: {
    effects: ["possible"],
    happened: "Another process took over, as this one did not renew its lease in time.",
    cure: "Read the operation anew. Raise `lease` if the process stalls for that long.",
  },
  RECONCILE_FAILED: {
    effects: ["none"],
    happened: "A hook could not read the destination. To the operation that is an unclear look, never an absence.",
    cure: 'Declare the tools that the hook reads as `effect: "read"`, and connect the server in this process.',
  },
  RESOLUTION_CONFLICT: {
    effects: ["possible"],
    happened: "The operation is another than the operator looked at, or the decision is not possible now.",
    cure: "Show it again and decide on the version that is there; the text says what has changed or how long to wait.",
  },
  STORE_INCOMPATIBLE: {
    effects: ["none"],
    happened: "The store holds data of another version, secret or namespace, or its settings can lose records.",
    cure: "The text names the setting. Never point two secrets at one namespace.",
  },
  STORE_LOSS: {
    effects: ["possible"],
    happened: "The store lost writes that it had acknowledged.",
    cure: "Look at the destination for the calls of that time; intents that may be older than the loss start as uncertain.",
  },
};

export function errorsPage(): string {
  return page(
    "# Errors",
    "What becomes of a call is a value, the [outcome](states.md); it is returned, never thrown. An `IndoubtError` says that something around it is broken. Switch on `code`; the texts may change.",
    '```ts\nif (isIndoubtError(error) && error.code === "STORE_UNAVAILABLE") startTheStore();\n```',
    table(
      ["code", "effect", "what happened", "cure"],
      ERROR_CODES.map((name) => {
        const { effects, happened, cure } = ERRORS[name];
        return [code(name), effects.map(code).join(" or "), happened, cure];
      }),
    ),
    "`effect` says what the error knows of the destination: `none`, nothing was sent because of this; `possible`, an effect may be there; `confirmed`, it is there. `possible` is never replaced by a later error.",
  );
}
