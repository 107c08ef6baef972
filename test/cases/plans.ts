/** Knows what the scripted server is going to do with the next call of a tool. */
import type { FaultServerControl, Reply, Script, Step } from "../../adapters/testing/index.ts";

export interface Plans {
  plan(tool: string, ...steps: Step[]): void;
  /** The next call of this tool gets no answer soon. */
  stallsNext(tool: string): boolean;
}

export function watchPlans(server: FaultServerControl, script: Script = {}): Plans {
  const steps = new Map<string, readonly Step[]>(Object.entries(script));
  const since = new Map<string, number>();
  return {
    plan(tool, ...next) {
      server.plan(tool, ...next);
      steps.set(tool, next);
      since.set(tool, server.log.arrivals(tool).length);
    },
    stallsNext(tool) {
      const known = steps.get(tool) ?? [];
      const taken = server.log.arrivals(tool).length - (since.get(tool) ?? 0);
      return !answersAtOnce(known[Math.min(taken, known.length - 1)]?.reply ?? "ok");
    },
  };
}

/** The end of a connection is an answer, too. */
const PROMPT: readonly string[] = [
  "ok",
  "reset",
  "kill_process",
  "schema_invalid",
  "no_structured_content",
  "success_without_effect",
  "stdout_noise",
  "isError",
  "rpcError",
  "already_exists",
  "result",
  "huge",
  "html",
  "success_false",
  "pending",
  "status",
];

/** Late, in ms, and meant to be in time all the same. */
const SOON = 200;

const answersAtOnce = (reply: Reply): boolean =>
  typeof reply === "object" && "late" in reply
    ? reply.late <= SOON
    : PROMPT.includes(typeof reply === "string" ? reply : (Object.keys(reply)[0] ?? ""));
