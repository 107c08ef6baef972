/** The connections that this process has to each server: for reads by hooks and for resends by recovery. */
import type { JsonObject, WireEvidence } from "./core/terms.ts";
import { IndoubtError } from "./errors.ts";
import type { Attempt, Wire } from "./ports.ts";

export interface Links {
  add(server: string, wire: Wire): () => void;
  has(server: string): boolean;
  any(server: string): Wire | undefined;
  /** One read; throws when the answer is not a plain result. */
  read(
    server: string,
    tool: string,
    args: JsonObject,
    signal: AbortSignal,
    toolErrors: "throw" | "return",
  ): Promise<JsonObject>;
}

export function links(): Links {
  const known = new Map<string, Set<Wire>>();
  const any = (server: string) => {
    const wires = known.get(server);
    return wires && [...wires].at(-1);
  };
  return {
    add(server, wire) {
      const wires = known.get(server) ?? new Set();
      known.set(server, wires.add(wire));
      return () => {
        wires.delete(wire);
      };
    },
    has: (server) => any(server) !== undefined,
    any,
    async read(server, tool, args, signal, toolErrors) {
      const wire = any(server);
      if (!wire) {
        throw new IndoubtError(
          "RECONCILE_FAILED",
          `No connection to "${server}" in this process: wrap its client with guardClient.`,
        );
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

function resultOf(evidence: WireEvidence, tool: string, toolErrors: "throw" | "return"): JsonObject {
  const plain = evidence.kind === "result" && (toolErrors === "return" || evidence.result.isError !== true);
  if (plain) return evidence.result;
  throw new IndoubtError("RECONCILE_FAILED", `The read "${tool}" gave no usable answer (${evidence.kind}).`);
}
