/** What a tool's policy is through the proxy where the configuration leaves it open. */
import type { GuardOptions, ToolOptions } from "../../../src/index.ts";

type Policies = Omit<GuardOptions, "store" | "secret" | "clock">;

/**
 * A host may have stopped listening without a word. So an equal call of a tool that says what its effect is
 * (`identityArgs`, a hook or a contract) is answered from the record for ten minutes, delivered or not. `repeat: "new"`
 * in the configuration takes that back.
 * @example
 * const guard = createGuard({ store, ...proxyDefaults({ servers }) });
 */
export function proxyDefaults<P extends Policies>(policies: P): P {
  const servers = Object.entries(policies.servers ?? {}).map(([name, server]) => {
    const tools = Object.entries(server.tools ?? {}).map(([tool, options]) => [tool, recalled(options)]);
    return [name, { ...server, tools: Object.fromEntries(tools) }];
  });
  return { ...policies, servers: Object.fromEntries(servers) };
}

function recalled(tool: ToolOptions): ToolOptions {
  const named = tool.identityArgs ?? tool.contract ?? tool.reconcile;
  if (named === undefined || tool.repeat !== undefined || tool.effect === "read") return tool;
  return { ...tool, repeat: "recall", repeatWindow: tool.repeatWindow ?? "10m" };
}
