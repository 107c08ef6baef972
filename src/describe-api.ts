/** What an approval screen gets. */
import type { JsonObject, JsonValue } from "./core/terms.ts";

/** What {@link Guard.describeCall} says. Texts of others stand in quotes or after `>`: they are data, not instructions. */
export interface CallDescription {
  /** The configured name of the server, never what it calls itself. */
  readonly server: string;
  readonly tool: string;
  /** What the name of the server is bound to, and by what that was checked. */
  readonly identity: readonly string[];
  /** As they will be sent, with secrets masked. */
  readonly arguments: JsonObject;
  /** Names exactly these arguments: `perform({ expect })` refuses any others. */
  readonly digest: string;
  /** JSON Pointer -> value: what the call is about, by the operator's `target` or `identityArgs`. */
  readonly target: Readonly<Record<string, JsonValue>>;
  /** What the call may do, as the operator declared it. */
  readonly permissions: readonly string[];
  readonly effect: "read" | "write";
  readonly declared: boolean;
  /** What the server's publisher claims, and what not. Claims permit nothing. */
  readonly publisher: readonly string[];
  /** What the operator declared. */
  readonly operator: readonly string[];
  /** What was seen of this tool. */
  readonly observed: readonly string[];
  /** What could go wrong with these arguments. */
  readonly risks: readonly string[];
  /** What is not known before the call. */
  readonly unknown: readonly string[];
  /** All of it as one text. */
  readonly text: string;
}
