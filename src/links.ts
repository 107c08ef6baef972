/** The connections that this process has to each server: for reads by hooks and for resends by recovery. */
import type { JsonObject, WireEvidence } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { Attempt, Wire } from "./wire.ts";

export interface Links {
  /** @param principal whose sign-in the connection carries, where it is not the same for all */
  add(server: string, wire: Wire, principal?: string): () => void;
  /** The connection for operations of this owner (a digest of the principal; undefined: of nobody in particular). */
  any(server: string, owner: string | undefined): Wire | undefined;
  /** One read; throws when the answer is not a plain result. */
  read(
    server: string,
    owner: string | undefined,
    tool: string,
    args: JsonObject,
    signal: AbortSignal,
    toolErrors: "throw" | "return",
  ): Promise<JsonObject>;
}

interface Link {
  readonly wire: Wire;
  readonly principal: string | undefined;
}

/** @param digestOf how records name a principal */
export function links(digestOf: (principal: string) => string): Links {
  const known = new Map<string, Set<Link>>();

  /** Another principal's connection may reach another account: better none than the wrong one. */
  function any(server: string, owner: string | undefined): Wire | undefined {
    const all = [...(known.get(server) ?? [])];
    if (owner === undefined) return all.at(-1)?.wire;
    const own = all.filter(({ principal }) => principal !== undefined && digestOf(principal) === owner).at(-1);
    const only = all.length === 1 && all[0]?.principal === undefined ? all[0] : undefined;
    return (own ?? only)?.wire;
  }

  return {
    add(server, wire, principal) {
      const link = { wire, principal };
      const all = known.get(server) ?? new Set();
      known.set(server, all.add(link));
      return () => {
        all.delete(link);
      };
    },
    any,
    async read(server, owner, tool, args, signal, toolErrors) {
      const wire = any(server, owner);
      if (!wire) {
        const text = `No connection to "${server}" that fits this operation in this process: wrap its client with guardClient.`;
        throw new IndoubtError("RECONCILE_FAILED", text);
      }
      return resultOf(await wire.send(readAttempt(tool, args, signal)), tool, toolErrors);
    },
  };
}

export function readAttempt(tool: string, args: JsonObject, cancel: AbortSignal): Attempt {
  return {
    operation: "",
    tool,
    number: 1,
    arguments: args,
    cancel,
    mayStart: () => !cancel.aborted,
    progressed() {},
    waiting() {},
    sentAgain() {},
  };
}

/** Throws when the evidence is no plain result. */
export function resultOf(evidence: WireEvidence, tool: string, toolErrors: "throw" | "return"): JsonObject {
  const plain = evidence.kind === "result" && (toolErrors === "return" || evidence.result.isError !== true);
  if (plain) return evidence.result;
  throw new IndoubtError("RECONCILE_FAILED", `The read "${tool}" gave no usable answer (${evidence.kind}).`);
}
