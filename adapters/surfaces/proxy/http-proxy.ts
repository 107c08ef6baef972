/** The proxy for hosts that speak HTTP. */
import { type Guard, IndoubtError } from "../../../src/index.ts";
import { type ListenOptions, listen } from "./http-listener.ts";
import { reverseProxy } from "./reverse-proxy.ts";
import { sessionProxy } from "./sessions.ts";
import { statusTool } from "./status-tool.ts";
import { NO_DEADLINE, type ProxyTarget } from "./stdio-proxy.ts";

export interface HttpProxyOptions extends ListenOptions {
  readonly guard: Guard;
  /** The name of the server in the guard's configuration. */
  readonly server: string;
  /**
   * What is behind the proxy: the URL of a Streamable HTTP server, or a command that speaks MCP on its pipes.
   * @example { url: "https://billing.acme.example/mcp" }
   */
  readonly target: ProxyTarget;
  /**
   * Time for one tool call, in ms, before the host reads that its outcome is open.
   * @default none: the proxy never gives up before its host
   * @example 120_000
   */
  readonly deadline?: number | undefined;
  /**
   * Whose calls are the same wanted effect: those with the same `Authorization` header, or all. With `one` a new token
   * does not make a new person, and whoever reaches the proxy may be answered from the record of anybody.
   * @default "authorization"
   * @example "one"
   */
  readonly principals?: "authorization" | "one" | undefined;
  /**
   * Adds the read-only tool `indoubt_status`, by which a model asks what became of a call instead of repeating it.
   * @default false
   */
  readonly statusTool?: boolean | undefined;
  /** Hears what an operator should know, a line each time. @default it goes to stderr */
  readonly say?: ((line: string) => void) | undefined;
}

export interface HttpProxy {
  /** For the configuration of hosts. */
  readonly url: string;
  readonly port: number;
  /** Ends the listener and the servers that it started. The guard stays open: it is yours. */
  close(): Promise<void>;
}

/**
 * Listens for MCP hosts, and guards their tool calls on the way to a server.
 * @throws IndoubtError CONFIG_INVALID when the port is taken, or everybody could use the operator's own credentials
 * @example
 * const proxy = await startProxy({ guard, server: "billing.acme", target: { url: "https://billing.acme.example/mcp" }, port: 4100 });
 * console.log(proxy.url);
 */
export async function startProxy(options: HttpProxyOptions): Promise<HttpProxy> {
  refuseOpenDoor(options);
  const { guard, server, target, deadline = NO_DEADLINE, token, principals = "authorization" } = options;
  const say = options.say ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const status = options.statusTool ? statusTool(guard, server) : undefined;
  const common = { guard, server, deadline, principals, say, ownsAuthorization: token !== undefined, status };
  const relay = "url" in target ? reverseProxy({ ...common, target }) : sessionProxy({ ...common, command: target });
  const listener = await listen(options, relay.handle);
  return {
    url: `${listener.origin}${relay.path}`,
    port: listener.port,
    async close() {
      await listener.close();
      await relay.close();
    },
  };
}

/** Beyond loopback, what is behind the proxy must ask for credentials, or the proxy itself does. */
function refuseOpenDoor({ host, token, target }: HttpProxyOptions): void {
  const loopback = host === undefined || ["127.0.0.1", "::1", "localhost"].includes(host);
  const lends = !("url" in target) || Object.keys(target.headers ?? {}).length > 0;
  if (loopback || token !== undefined || !lends) return;
  const text = `Listening on ${host} would let everybody there use this server in your name. Set a token, or listen on 127.0.0.1.`;
  throw new IndoubtError("CONFIG_INVALID", text);
}
