/** What the MCP servers of the transcripts share: each tool writes down that it was called and what it changed. */
import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";

type Arguments = Record<string, unknown>;
type Shape = Record<string, z.ZodType>;

export interface Work {
  readonly text: string;
  /** What the world has more of now; absent for a read. */
  readonly effect?: string;
  readonly isError?: boolean;
}

export interface LoggedServer {
  tool(name: string, shape: Shape, work: (args: never) => Work | Promise<Work>): void;
  serve(): Promise<void>;
}

/**
 * argv: the log, then `tool:number` for each call whose work is done and whose reply is never sent.
 */
export function loggedServer(name: string): LoggedServer {
  const [, , log = "", ...lost] = process.argv;
  const server = new McpServer({ name, version: "1.0.0" });
  const write = (entry: object) => appendFileSync(log, `${JSON.stringify({ at: Date.now(), ...entry })}\n`);
  return {
    tool(tool, shape, work) {
      let calls = 0;
      server.registerTool(tool, { description: tool, inputSchema: shape }, async (args: Arguments) => {
        calls += 1;
        const isLost = lost.includes(`${tool}:${calls}`);
        write({ kind: "arrival", tool, arguments: args });
        const { text, effect, isError } = await work(args as never);
        if (effect !== undefined) write({ kind: "effect", tool, arguments: args, reference: effect, complete: true });
        if (isLost) await new Promise(() => {});
        return { content: [{ type: "text", text }], ...(isError && { isError }) } satisfies CallToolResult;
      });
    },
    serve: () => server.connect(new StdioServerTransport()),
  };
}
