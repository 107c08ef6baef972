/** What the model reads when a tool ends with an exception: the SDK's own words invite it to call again. */
import { isIndoubtError } from "../../../src/index.ts";

/**
 * An `errorFunction` that promises nothing and invites nothing, in place of "An error occurred while running the tool.
 * Please try again." `guardMcpServer` sets it; set it yourself where you guard by `fetch`.
 * @example
 * new MCPServerStreamableHttp({ url, fetch: guardFetch(guard, { server }), errorFunction: agentErrorFunction });
 */
export function agentErrorFunction({ error }: { error: unknown }): string {
  if (isIndoubtError(error) && error.effect === "none") {
    return "[not_sent] The tool was not called: the safety layer in front of it does not work. Nothing was done. Tell the user.";
  }
  return "[outcome_unknown] The call ended before its outcome was known; it may or may not have taken effect. Do not repeat it; go on with other work or tell the user what is open.";
}
