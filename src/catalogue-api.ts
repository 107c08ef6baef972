/** The tools of a server as an operator reviews them: what is listed, claimed, declared, reviewed, and what has changed. */
import type { Drift, Release, ServerIdentity, ToolReview } from "./core/baseline.ts";
import type { Lock } from "./lock.ts";

export interface ToolAccount {
  readonly tool: string;
  /** The publisher's words: data, not instructions. */
  readonly title?: string;
  readonly description?: string;
  readonly fingerprint: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  /** What the publisher claims, and what not, one sentence each. */
  readonly claims: readonly string[];
  /** What is wrong with the form of the definition. */
  readonly faults: readonly string[];
  /** It claims to be read-only: worth asking the operator about. A claim makes nothing a read. */
  readonly claimsReadOnly: boolean;
  /** What the operator declared; undefined: nothing, so it is a write. */
  readonly declared?: "read" | "write";
  readonly review?: ToolReview;
  readonly suspended?: string;
}

export interface DriftAccount extends Drift {
  readonly words: readonly string[];
  /** It puts contract and read declaration out of force; else it is only told. */
  readonly counts: boolean;
}

export interface ServerAccount {
  readonly server: string;
  /** Where it was reached, or where the configuration says. */
  readonly identity?: ServerIdentity;
  /** What it calls itself. */
  readonly release?: Release;
  /** All pages of its list were seen. */
  readonly whole: boolean;
  readonly reviewed: boolean;
  /** Of the server as a whole: another address or release, hints that look stamped on. */
  readonly notes: readonly string[];
  readonly tools: readonly ToolAccount[];
  /** Against the lock. Empty without one. */
  readonly drift: readonly DriftAccount[];
}

export interface ReviewDecision {
  readonly actor: string;
  /** @default "reviewed" */
  readonly reason?: string;
  /** The tools that are accepted as they are now. @default all that are listed */
  readonly accepted?: readonly string[];
  /** The account that was looked at: a tool that differs from it by now is not accepted. @default not compared */
  readonly shown?: Pick<ServerAccount, "tools">;
  /** Whose sign-in the list belongs to. @default the one of the configuration */
  readonly principal?: string;
  /** Where the server is reached, if neither connection nor configuration says. */
  readonly identity?: ServerIdentity;
}

export interface Catalogue {
  /** What this process has seen of the server. List its tools first. */
  show(server: string, options?: { readonly principal?: string }): Promise<ServerAccount>;
  /**
   * Accepts what is listed now. Puts what rested on it back in force, in every process.
   * @returns the new lock: write it to `indoubt.lock.json` and start programs with it
   * @throws IndoubtError CONFIG_INVALID when the list is not whole, or where the server is reached is not known
   */
  review(server: string, decision: ReviewDecision): Promise<Lock>;
}
