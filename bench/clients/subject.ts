/** A client over MCP, as people have it: it wants one invoice, and asks again while it sees no success. */
import type { Guard } from "../../src/index.ts";

export const SERVER = "billing.acme";
/** How long a call may take, with a guard and without, in ms. */
export const TIMEOUT = 400;

export interface McpSubject {
  readonly name: string;
  /** Connects to the server; with a guard behind it. */
  open(url: string, guard: Guard | undefined): Promise<McpSession>;
  /** Whether a record of its own shows the operation; most keep none. */
  isOnRecord?(order: string): Promise<boolean>;
}

export interface McpSession {
  /** Wants one invoice for this order. @returns what it read last */
  run(order: string): Promise<string>;
  close(): Promise<void>;
}
