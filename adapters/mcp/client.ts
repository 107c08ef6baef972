/** A client of either SDK, with every tool call under the guard. */

import type { GuardedCalls } from "../../src/entries/wire.ts";
import { type CallContext, IndoubtError, type Outcome } from "../../src/index.ts";
import { type RequestOptions, runCall } from "./client-call.ts";
import type { McpTransport } from "./tap.ts";
import { guardTransport } from "./transport.ts";

/** A `Client` of SDK v1 or v2, described by shape, so that no SDK is loaded. */
export interface McpClient {
  callTool(params: never, ...rest: never[]): Promise<unknown>;
  connect(transport: never, ...rest: never[]): Promise<void>;
  readonly transport?: McpTransport | undefined;
}

type CallToolParams<C extends McpClient> = Parameters<C["callTool"]>[0];
/** v1 takes a result schema before the options. */
type CallToolOptions<C extends McpClient> = C extends { getProtocolEra(): unknown }
  ? Parameters<C["callTool"]>[1]
  : Parameters<C["callTool"]> extends [unknown, unknown?, (infer Options)?]
    ? Options
    : never;

/** What may be said of one call, besides what the SDK knows: ours outside, the SDK's inside `request`. */
export interface PerformOptions<Request = RequestOptions> extends CallContext {
  /**
   * The SDK's own request options. Its `signal` and `timeout` count where `signal` and `deadline` are not given here.
   * @default none
   * @example { onprogress: (progress) => bar.update(progress) }
   */
  readonly request?: Request;
}

export type GuardedClient<C extends McpClient> = C & {
  /**
   * Calls a tool and returns the whole {@link Outcome} instead of a tool result.
   * @param options identity, deadline (ms) and consent of this call; the SDK's options inside `request`
   * @throws IndoubtError when the guard itself fails, e.g. STORE_UNAVAILABLE (nothing sent)
   * @throws the SDK's error where the host has to act: sign in, or answer a question of the server
   * @example
   * const outcome = await billing.perform({ name: "create_invoice", arguments: order }, { operationId: order.id });
   * if (outcome.kind === "uncertain") console.warn(outcome.reason, outcome.operation);
   */
  perform(params: CallToolParams<C>, options?: PerformOptions<CallToolOptions<C>>): Promise<Outcome>;
};

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * A client whose tool calls are guarded. `callTool` keeps the signature and the types of its SDK; in doubt it resolves
 * with an `isError` result and never throws. `perform` returns the whole outcome. Everything else is the client's own.
 *
 * The caller's `signal` and `timeout` (ms) become the guard's: the SDK's timers do not decide a guarded call. A result
 * that the SDK does not like (output schema, shape) is returned as it came, with the complaint as one more text block.
 * Transports are guarded when the client connects and looked at again before each call.
 *
 * @param server the name of the server in the guard's configuration
 * @param client of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/client`, connected or not
 * @throws IndoubtError CONFIG_INVALID when the client's transport is guarded as another server
 * @example
 * const billing = guardClient(guard, "billing.acme", client);
 * const result = await billing.callTool({ name: "create_invoice", arguments: { customer: "c1", order: "o7" } });
 */
export function guardClient<C extends McpClient>(guard: GuardedCalls, server: string, client: C): GuardedClient<C> {
  attach(guard, server, client);
  const own: Readonly<Record<string, AnyFunction>> = {
    callTool: (...args) => callTool(guard, server, client, args),
    perform: (params, options) => perform(guard, server, client, params, (options ?? {}) as PerformOptions),
    connect: (transport, ...rest) => {
      guardTransport(guard, server, transport as McpTransport);
      return (client.connect as AnyFunction).call(client, transport, ...rest);
    },
  };
  return new Proxy(client, {
    get: reader(own),
    set: (target, name, value) => Reflect.set(target, name, value),
  }) as GuardedClient<C>;
}

/** A new transport on the same client is not guarded yet. */
function attach(guard: GuardedCalls, server: string, client: McpClient): void {
  if (client.transport) guardTransport(guard, server, client.transport);
}

/** Methods run on the client itself: its private fields are not the proxy's. */
function reader(own: Readonly<Record<string, AnyFunction>>) {
  const bound = new WeakMap<AnyFunction, AnyFunction>();
  return (target: object, name: string | symbol): unknown => {
    if (typeof name === "string" && Object.hasOwn(own, name)) return own[name];
    const value: unknown = Reflect.get(target, name);
    if (typeof value !== "function" || name === "constructor") return value;
    const method = value as AnyFunction;
    const known = bound.get(method) ?? (method.bind(target) as AnyFunction);
    bound.set(method, known);
    return known;
  };
}

/** Only v2 knows eras; v1 takes a result schema before the options. */
const isV1 = (client: McpClient): boolean => !("getProtocolEra" in client);

async function callTool(guard: GuardedCalls, server: string, client: McpClient, args: unknown[]): Promise<unknown> {
  attach(guard, server, client);
  const [params, ...rest] = args;
  const options = (isV1(client) ? rest[1] : rest[0]) as RequestOptions | undefined;
  return runCall(guard, options ?? {}, {}, (relaxed) => invoke(client, params, relaxed, rest[0])).result;
}

async function perform(
  guard: GuardedCalls,
  server: string,
  client: McpClient,
  params: unknown,
  { request, ...context }: PerformOptions,
): Promise<Outcome> {
  attach(guard, server, client);
  const { scope, result } = runCall(guard, request ?? {}, context, (options) => invoke(client, params, options));
  await result.catch((error: unknown) => {
    if (scope.outcome === undefined || scope.paused) throw error;
  });
  if (scope.outcome) return scope.outcome;
  throw new IndoubtError(
    "OUTCOME_UNCERTAIN",
    "The call ended without an outcome. Look at the destination before it is made again.",
    { effect: "possible" },
  );
}

function invoke(client: McpClient, params: unknown, options: RequestOptions, schema?: unknown): Promise<unknown> {
  const method = (client.callTool as AnyFunction).bind(client);
  return (isV1(client) ? method(params, schema, options) : method(params, options)) as Promise<unknown>;
}
