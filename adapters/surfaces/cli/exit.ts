/** How the command ends: pinned exit codes, and what an error says to people and to programs. */
import type { ErrorCode, IndoubtError } from "../../../src/index.ts";

/** Documented in docs/cli.md and pinned by test/cli/exit-codes.test.ts. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  configuration: 3,
  store: 4,
  conflict: 5,
  not_found: 6,
  partial: 7,
  problems: 8,
} as const;
export type ExitName = keyof typeof EXIT;

/** What each code means, for docs/cli.md. */
export const EXIT_WORDS: Readonly<Record<ExitName, string>> = {
  ok: "Done.",
  failed: "Something else went wrong.",
  usage:
    "The command cannot be understood: an unknown option, a malformed filter, a missing reason. Nothing was changed.",
  configuration: "The configuration, an address, a secret or a contract cannot work. Nothing was changed.",
  store: "The store does not answer, cannot be written, or belongs to something else.",
  conflict: "Somebody was faster, or it is not allowed now. Nothing was changed.",
  not_found: "There is no such operation in this store and namespace. Nothing was changed.",
  partial: "A decision about many: some were decided, some were not. The output says which.",
  problems:
    "`doctor` found something that breaks a promise, a `card` did not pass, or `path test` found a path that repeats calls.",
};

/** An error in how the command was called. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly cure: string;

  constructor(message: string, cure: string) {
    super(message);
    this.cure = cure;
  }
}

export interface Told {
  readonly exit: ExitName;
  /** A code of docs/errors.md, or USAGE, NOT_FOUND, FAILED. */
  readonly code: string;
  readonly message: string;
  readonly cure: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const EXIT_OF: Readonly<Record<ErrorCode, ExitName>> = {
  CONFIG_INVALID: "configuration",
  CONTRACT_INVALID: "configuration",
  CONTRACT_SUSPENDED: "conflict",
  CALL_REFUSED: "conflict",
  OUTCOME_UNCERTAIN: "failed",
  STORE_UNAVAILABLE: "store",
  OUTCOME_UNRECORDED: "store",
  LEASE_LOST: "conflict",
  RECONCILE_FAILED: "failed",
  RESOLUTION_CONFLICT: "conflict",
  STORE_INCOMPATIBLE: "store",
  STORE_LOSS: "store",
};

const CURES: Readonly<Record<ExitName, string>> = {
  ok: "",
  failed: "Run it again with --debug and look at the trace.",
  usage: "See --help of the command.",
  configuration: "Correct it where the message says; `indoubt doctor` checks the whole set-up.",
  store:
    "Check that the store runs and that this user may read and write it; `indoubt doctor` checks the whole set-up.",
  conflict: "Look at it again with `indoubt queue show ID`, then decide with the version that it shows.",
  not_found: "Check the id, the store (--store) and the namespace (--namespace). Settled operations expire.",
  partial: "Look at what is left with `indoubt queue list`, and decide again.",
  problems: "Follow the cures that are listed.",
};

/** By its name: the help and a usage error are told without loading the engine. */
const isIndoubtError = (error: unknown): error is IndoubtError =>
  error instanceof Error && error.name === "IndoubtError" && "code" in error;

export function tell(error: unknown): Told {
  if (error instanceof UsageError) return { exit: "usage", code: "USAGE", message: error.message, cure: error.cure };
  if (isIndoubtError(error)) return tellOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return { exit: "failed", code: "FAILED", message, cure: CURES.failed };
}

function tellOf(error: IndoubtError): Told {
  const { code, message, details } = error;
  const unknown = code === "RESOLUTION_CONFLICT" && typeof details.id === "string" && details.version === undefined;
  const exit = unknown ? "not_found" : isOfTheCommand(details.path) ? "usage" : EXIT_OF[code];
  return { exit, code: unknown ? "NOT_FOUND" : code, message, cure: CURES[exit], details };
}

/** What was asked, not how things are set up: what the store or the queue says of a cursor, a filter or a decision. */
const isOfTheCommand = (path: unknown): boolean => path === "cursor" || path === "queue";
