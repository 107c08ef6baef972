/** The proxy for a host that starts it as its MCP server: the host speaks on stdin and stdout. */
import type { Readable, Writable } from "node:stream";
import { type Guard, withCallContext } from "../../../src/index.ts";
import { type HttpTarget, httpBack } from "./http-back.ts";
import type { ServerCommand } from "./server-process.ts";
import { statusTool } from "./status-tool.ts";
import { stdioBack } from "./stdio-back.ts";
import { stdioFront } from "./stdio-front.ts";

/** A timer for half a month: longer than any host waits, and still a timer. */
export const NO_DEADLINE = 2 ** 30;

export type ProxyTarget = ServerCommand | HttpTarget;

export interface StdioProxyOptions {
  readonly guard: Guard;
  /** The name of the server in the guard's configuration. */
  readonly server: string;
  /**
   * What is behind the proxy: a command that speaks MCP on its pipes, or the URL of a Streamable HTTP server.
   * @example { command: "npx", args: ["-y", "@acme/billing-mcp"] }
   */
  readonly target: ProxyTarget;
  /**
   * Time for one tool call, in ms, before the host reads that its outcome is open.
   * @default none: the proxy never gives up before its host
   * @example 120_000
   */
  readonly deadline?: number | undefined;
  /**
   * Adds the read-only tool `indoubt_status`, by which a model asks what became of a call instead of repeating it.
   * @default false
   */
  readonly statusTool?: boolean | undefined;
  /** @default process.stdin */
  readonly stdin?: Readable | undefined;
  /** @default process.stdout */
  readonly stdout?: Writable | undefined;
  /** Hears what an operator should know, a line each time. @default it goes to stderr */
  readonly say?: ((line: string) => void) | undefined;
}

export interface StdioProxy {
  /** Resolves when the host has left, late answers were waited for, and the server has ended. */
  readonly ended: Promise<void>;
  /** Ends as if the host had left. The guard stays open: it is yours. */
  close(): Promise<void>;
}

/**
 * Guards the tool calls between the host that started this process and a server. Everything else passes byte for byte.
 * @example
 * const proxy = stdioProxy({ guard, server: "billing.acme", target: { command: "billing-mcp" } });
 * await proxy.ended;
 * await guard.close();
 */
export function stdioProxy(options: StdioProxyOptions): StdioProxy {
  const { guard, server, target, deadline = NO_DEADLINE } = options;
  const say = options.say ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const tell = (what: string): void => say(`indoubt proxy: the server "${server}" ${what}`);
  const status = options.statusTool ? statusTool(guard, server) : undefined;
  const front = stdioFront(options.stdin ?? process.stdin, options.stdout ?? process.stdout, status);
  const { toHost, rawToHost, drained } = front;
  const common = { guard, server, deadline, toHost, rawToHost, drained, say: tell, inContext: withCallContext };
  const back = "url" in target ? httpBack({ ...common, target }) : stdioBack({ ...common, command: target });
  const ended = front.serve(back, (why) => say(`indoubt proxy: ${why}`));
  return {
    ended,
    close() {
      front.leave();
      return ended;
    },
  };
}
