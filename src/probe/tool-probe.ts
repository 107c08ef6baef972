/** A probe that calls a read tool of the same server. */
import type { JsonObject, JsonValue } from "../core/terms.ts";
import { type BaselineRule, type Found, type Probe, probe, saysAbsent } from "./probe.ts";

export interface ToolProbeRules {
  readonly tool: string;
  readonly arguments?: JsonObject | undefined;
  readonly found: Found;
  readonly baseline?: BaselineRule | undefined;
}

export function toolProbe({ tool, arguments: request = {}, found, baseline }: ToolProbeRules): Probe {
  // An error that means "not there" is an answer; any other makes the look unclear.
  const toolErrors = found.absentWhen ? "return" : "throw";
  const read = async (args: JsonObject, { call }: { call: Call }): Promise<JsonValue> => {
    const answer = await call(tool, args, { toolErrors });
    if (answer.isError === true && !saysAbsent(answer, found))
      throw new Error(`the read "${tool}" answered with an error`);
    return answer;
  };
  return probe({ request, found, baseline }, read, tool);
}

type Call = (tool: string, args: JsonObject, options: { toolErrors: "throw" | "return" }) => Promise<JsonObject>;
