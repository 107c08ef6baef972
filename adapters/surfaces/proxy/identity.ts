/** What a host says of its calls, in the guard's words. */
import { createHash } from "node:crypto";
import type { CallContext } from "../../../src/index.ts";
import { metaOf, type ToolCallFrame } from "../../mcp/relay/index.ts";

/**
 * Ids of tool calls that known hosts put into `_meta`. Each is unique by itself, so the host's name stands for the run.
 * A progress token is no such id: clients count it from 0.
 */
const CALL_IDS = ["claudecode/toolUseId"] as const;

/** @param principal whose sign-in the call carries; absent where there is one host only */
export function contextOf(frame: ToolCallFrame, principal: string | undefined): CallContext {
  const meta = metaOf(frame);
  const known = CALL_IDS.find((name) => typeof meta[name] === "string" && meta[name] !== "");
  const owner = principal === undefined ? {} : { principal };
  if (known === undefined) return owner;
  const run = known.slice(0, known.indexOf("/"));
  // One principal must not be able to ask for another one's call by its id.
  return { ...owner, runId: principal === undefined ? run : `${run} ${principal}`, toolCallId: String(meta[known]) };
}

/** A credential as the name of its owner: what the guard keeps of it is a keyed digest of this digest. */
export const principalOf = (credential: string | undefined): string | undefined =>
  credential === undefined ? undefined : createHash("sha256").update(credential).digest("base64url");
