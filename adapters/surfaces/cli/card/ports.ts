/** Raw connections for a card: the guard would not repeat a call, and repeats are what is tested here. */
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CardPorts, CardSend } from "../../../../src/entries/review.ts";
import type { WireEvidence } from "../../../../src/entries/wire.ts";
import { IndoubtError, type JsonObject } from "../../../../src/index.ts";
import { plainClient, resolveServer, type Setup } from "../../setup/index.ts";

export interface RawPorts extends CardPorts {
  close(): Promise<void>;
}

/** Time for one answer, in ms. */
const PATIENCE = 30_000;
/** How long an effect may take to show before its connection is ended anyway, in ms. */
const EFFECT_WITHIN = 5_000;

const keyHeaders = new AsyncLocalStorage<Readonly<Record<string, string>>>();
/** Puts the key of the call that is being sent among the headers of its request. */
const fetchWithKey: typeof globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(keyHeaders.getStore() ?? {})) headers.set(name, value);
  return fetch(input, { ...init, headers });
};

/**
 * @param denied a configured server: the same one, with a sign-in that may not write
 * @throws IndoubtError CONFIG_INVALID when that leads to another server
 */
export function rawPorts(setup: Setup, server: string, tool: string, denied: string | undefined): RawPorts {
  if (denied !== undefined) refuseAnother(setup, server, denied);
  const open = new Set<Client>();
  let main: Promise<Client> | undefined;

  async function connect(name: string): Promise<Client> {
    const client = await plainClient(setup, name, fetchWithKey);
    open.add(client);
    client.onclose = () => void open.delete(client);
    return client;
  }

  const ports: RawPorts = {
    async send(send) {
      main ??= connect(server);
      return call(await main, tool, send);
    },
    async lose(send, until) {
      // A connection of its own: over stdio its end is the end of the server's process, too.
      const client = await connect(server);
      const answer = call(client, tool, send);
      if (until) await effectThere(until);
      else await sleep(5);
      await client.close();
      await answer;
    },
    async close() {
      await Promise.all([...open].map((client) => client.close().catch(() => {})));
    },
  };
  return denied === undefined ? ports : { ...ports, denied: async (send) => call(await connect(denied), tool, send) };
}

/** Only the sign-in may differ: what another server refuses says nothing. */
function refuseAnother(setup: Setup, server: string, denied: string): void {
  const [one, other] = [server, denied].map((name) => {
    const way = resolveServer(setup, name, setup.env);
    return way && (way.kind === "http" ? way.url : `${way.command} in ${way.cwd}`);
  });
  if (one === other) return;
  const text = `--denied ${denied} must be the same server as "${server}" with another sign-in, but it is reached at another place.`;
  throw new IndoubtError("CONFIG_INVALID", text);
}

async function effectThere(until: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + EFFECT_WITHIN;
  while (Date.now() < end && !(await until())) await sleep(50);
}

function call(client: Client, name: string, { arguments: args, meta, headers = {} }: CardSend): Promise<WireEvidence> {
  const params = { name, arguments: args, ...(meta && { _meta: meta }) };
  const sent = keyHeaders.run(headers, () => client.callTool(params, undefined, { timeout: PATIENCE }));
  return sent.then(
    (result): WireEvidence => ({ kind: "result", result: result as JsonObject }),
    (error: unknown): WireEvidence => {
      const code = (error as { code?: unknown }).code;
      // The client's own -32000 and -32001 say that it heard nothing.
      const heard = typeof code === "number" && code !== -32_000 && code !== -32_001;
      return heard
        ? { kind: "rpc_error", code, message: "", id: "ours" }
        : { kind: "silence", cause: "connection_closed" };
    },
  );
}
