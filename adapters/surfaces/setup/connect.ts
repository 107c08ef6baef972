/** A guarded connection to a configured server, for hooks and resends, over stdio or Streamable HTTP. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type Guard, IndoubtError } from "../../../src/index.ts";
import { guardClient, guardFetch } from "../../mcp/index.ts";
import type { Setup } from "./guard.ts";
import { type ResolvedServer, resolveServer } from "./servers.ts";

export interface ConnectOptions {
  /** How long the server may take to answer, in ms. @default 30000 */
  readonly within?: number | undefined;
  /** Gives up connecting, and ends what was begun. */
  readonly signal?: AbortSignal | undefined;
  /** Gets what a stdio server writes to stderr: words of a stranger. @default it goes to our stderr */
  readonly onStderr?: ((text: string) => void) | undefined;
}

export interface Connection {
  readonly server: string;
  /** Guarded: `callTool` and `perform` go through the guard. */
  readonly client: Client;
  /** Resolves when the connection is over, whoever ended it. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects to a server of the configuration file and reads its tool list, again after each change that it announces.
 * @throws IndoubtError CONFIG_INVALID when the file does not say how, or `@modelcontextprotocol/sdk` is not installed
 * @throws the SDK's error when the server does not answer
 * @example
 * const { client, close } = await connectServer(setup, "billing.acme");
 */
export async function connectServer(setup: Setup, name: string, options: ConnectOptions = {}): Promise<Connection> {
  const server = reached(setup, name);
  const { Client } = await withSdk(() => import("@modelcontextprotocol/sdk/client/index.js"));
  const fetch = guardFetch(setup.guard, { server: name });
  const transport = await transportTo(server, fetch, options);
  const plain = new Client({ name: "indoubt", version: "1.0.0" });
  const client = guardClient(setup.guard, name, plain);
  const ended = new Promise<void>((resolve) => {
    plain.onclose = resolve;
  });
  const giveUp = () => void plain.close().catch(() => {});
  options.signal?.addEventListener("abort", giveUp, { once: true });
  try {
    options.signal?.throwIfAborted();
    await client.connect(transport, { timeout: options.within ?? 30_000 });
    await keepListed(setup.guard, name, client);
  } catch (error) {
    await plain.close().catch(() => {});
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", giveUp);
  }
  return { server: name, client, ended, close: () => plain.close() };
}

/**
 * A connection that the guard does not see, for tests of the destination itself.
 * @param fetch sends the requests of a server over HTTP
 */
export async function plainClient(setup: Setup, name: string, fetch: typeof globalThis.fetch): Promise<Client> {
  const server = reached(setup, name);
  const { Client } = await withSdk(() => import("@modelcontextprotocol/sdk/client/index.js"));
  const client = new Client({ name: "indoubt", version: "1.0.0" });
  await client.connect(await transportTo(server, fetch, { onStderr: () => {} }));
  return client;
}

function reached(setup: Setup, name: string): ResolvedServer {
  const server = resolveServer(setup, name, setup.env);
  if (server) return server;
  const cure = `add "command" and "args", or "url", to servers.${name} in ${setup.file ?? "a configuration file"}`;
  throw new IndoubtError("CONFIG_INVALID", `How to reach "${name}" is not configured: ${cure}.`);
}

async function transportTo(server: ResolvedServer, fetch: FetchLike, { onStderr }: ConnectOptions): Promise<Transport> {
  if (server.kind === "http") {
    const { StreamableHTTPClientTransport } = await withSdk(
      () => import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    );
    const { headers } = server;
    // The SDK's own types disagree under exactOptionalPropertyTypes (sessionId).
    return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers }, fetch }) as Transport;
  }
  const { StdioClientTransport } = await withSdk(() => import("@modelcontextprotocol/sdk/client/stdio.js"));
  const { command, args, env, cwd } = server;
  const { getDefaultEnvironment } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    cwd,
    stderr: onStderr ? "pipe" : "inherit",
  });
  if (onStderr) transport.stderr?.on("data", (chunk: Buffer) => onStderr(chunk.toString("utf8")));
  return transport;
}

/** No server has as many; one that turns in a circle never ends. */
const MOST_PAGES = 1_000;

/** A server may announce changes for ever; its contracts wait then. */
const MOST_CHANGES = 5;

/** The guard compares pins and checks arguments by this list. What was asked for before a change was announced is no longer it. */
async function listCurrent(guard: Guard, server: string, client: Client): Promise<void> {
  for (let turn = 0; turn < MOST_CHANGES; turn += 1) {
    const asked = guard.toolsAsked(server);
    await listAll(client);
    if (guard.toolsAsked(server) === asked) return;
  }
}

async function keepListed(guard: Guard, server: string, client: Client): Promise<void> {
  const { ToolListChangedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const list = async (): Promise<void> => {
    isListing = true;
    await listCurrent(guard, server, client).finally(() => {
      isListing = false;
    });
  };
  let isListing = false;
  client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
    if (isListing) return;
    await list().catch((error: unknown) =>
      guard.warn(`The changed tool list of "${server}" was not read: ${String(error)}`),
    );
  });
  await list();
}

async function listAll(client: Client): Promise<void> {
  const seen = new Set<string | undefined>();
  let cursor: string | undefined;
  do {
    seen.add(cursor);
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    cursor = page.nextCursor;
  } while (cursor !== undefined && !seen.has(cursor) && seen.size < MOST_PAGES);
  if (cursor === undefined) return;
  const cure = "Ask its publisher: tools/list has to come to an end";
  throw new IndoubtError("CONFIG_INVALID", `The server's tool list goes round in a circle. ${cure}.`);
}

/**
 * The SDK is an optional peer: only who connects needs it.
 * @throws IndoubtError CONFIG_INVALID when it is not installed
 */
export async function withSdk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes("@modelcontextprotocol/sdk")) throw cause;
    throw new IndoubtError(
      "CONFIG_INVALID",
      "To connect to servers the package @modelcontextprotocol/sdk is needed. Run: npm install @modelcontextprotocol/sdk " +
        "(outside a project: npx -p indoubt -p @modelcontextprotocol/sdk indoubt …).",
      { cause },
    );
  }
}
