/** What the doctor finds. */
export interface Finding {
  readonly check: "config" | "store" | "secret" | "durability" | "clock" | "policy" | "contract" | "hook" | "queue";
  /** `problem`: a promise is broken. `warning`: it holds, but somebody will have more work or less certainty. */
  readonly status: "ok" | "warning" | "problem";
  readonly words: string;
  readonly cure?: string;
}

export interface Report {
  /** Its address, without a password. */
  readonly store: string;
  /** The file; null: there is none. */
  readonly config: string | null;
  readonly findings: readonly Finding[];
  readonly promised: readonly string[];
  readonly notPromised: readonly string[];
}

export const ok = (check: Finding["check"], words: string): Finding => ({ check, status: "ok", words });
export const warning = (check: Finding["check"], words: string, cure?: string): Finding => ({
  check,
  status: "warning",
  words,
  ...(cure !== undefined && { cure }),
});
export const problem = (check: Finding["check"], words: string, cure?: string): Finding => ({
  ...warning(check, words, cure),
  status: "problem",
});
