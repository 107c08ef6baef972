/** Errors are for broken promises; outcomes of a call are values ({@link Outcome}). */

/** Closed and pinned. Each is explained, with its cure, in docs/errors.md. */
export const ERROR_CODES = [
  "CONFIG_INVALID",
  "CONTRACT_INVALID",
  "CONTRACT_SUSPENDED",
  "CALL_REFUSED",
  "OUTCOME_UNCERTAIN",
  "STORE_UNAVAILABLE",
  "OUTCOME_UNRECORDED",
  "LEASE_LOST",
  "RECONCILE_FAILED",
  "RESOLUTION_CONFLICT",
  "STORE_INCOMPATIBLE",
  "STORE_LOSS",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** What the error says about the destination. `possible` outranks everything: it is never replaced by a later error. */
export type Effect = "none" | "possible" | "confirmed";

export interface IndoubtErrorOptions {
  /** @default "none" */
  readonly effect?: Effect;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * @example
 * try { await guard.start(); } catch (error) {
 *   if (isIndoubtError(error) && error.code === "STORE_UNAVAILABLE") startRedisFirst();
 * }
 */
export class IndoubtError extends Error {
  override readonly name = "IndoubtError";
  readonly code: ErrorCode;
  readonly effect: Effect;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: IndoubtErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.effect = options.effect ?? "none";
    this.details = options.details ?? {};
  }
}

/** Works across copies of the package, unlike `instanceof`. */
export const isIndoubtError = (error: unknown): error is IndoubtError =>
  error instanceof Error && error.name === "IndoubtError" && "code" in error && "effect" in error;

export const isStoreGone = (error: unknown): boolean => isIndoubtError(error) && error.code === "STORE_UNAVAILABLE";

/** A store that went away and may have written all the same. */
export const leavesOpen = (error: unknown): boolean => isStoreGone(error) && (error as IndoubtError).effect !== "none";
