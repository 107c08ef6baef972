/** Loops over the official SDKs, with what people put around them. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import pRetry from "p-retry";
import { guardClient, guardFetch } from "../../adapters/mcp/index.ts";
import type { Guard } from "../../src/index.ts";
import { argumentsOf, type Peer } from "../lib/stage.ts";
import { type Ask, asking, nextAsk, wordsIn } from "./asking.ts";
import { type McpSubject, SERVER, TIMEOUT } from "./subject.ts";

const SELF = { name: "bench", version: "1.0.0" };
type Call = (ask: Ask) => Promise<unknown>;

async function v1(url: string, guard: Guard | undefined): Promise<{ call: Call; close(): Promise<void> }> {
  const plain = new ClientV1(SELF);
  const client = guard ? guardClient(guard, SERVER, plain) : plain;
  await client.connect(new HttpV1(new URL(url), below(guard)) as never);
  const call: Call = ({ name, arguments: args }) =>
    client.callTool({ name, arguments: args }, undefined, { timeout: TIMEOUT });
  return { call, close: () => client.close() };
}

async function v2(url: string, guard: Guard | undefined): Promise<{ call: Call; close(): Promise<void> }> {
  const plain = new ClientV2(SELF);
  const client = guard ? guardClient(guard, SERVER, plain) : plain;
  await client.connect(new HttpV2(new URL(url), below(guard) as never));
  const call: Call = ({ name, arguments: args }) => client.callTool({ name, arguments: args }, { timeout: TIMEOUT });
  return { call, close: () => client.close() };
}

const below = (guard: Guard | undefined) => (guard ? { fetch: guardFetch(guard, { server: SERVER }) as never } : {});

/** A loop as it stands in many agents: an exception or an error is told to the model, which asks again. */
function loop(name: string, open: typeof v1, around: (call: Call, order: string) => Call = (call) => call): McpSubject {
  return {
    name,
    async open(url, guard) {
      const { call, close } = await open(url, guard);
      return {
        close,
        async run(order) {
          const state = asking(order);
          for (let ask = nextAsk(state); ask; ask = nextAsk(state)) {
            state.heard = await around(call, order)(ask).then(wordsOfSuccess, String);
          }
          return state.heard ?? "";
        },
      };
    },
  };
}

/** The text of a tool error must not be taken for a success. */
const wordsOfSuccess = (result: unknown): string =>
  (result as { isError?: boolean }).isError ? `error: ${wordsIn(result).replaceAll("inv_", "")}` : wordsIn(result);

const retried =
  (call: Call): Call =>
  (ask) =>
    pRetry(() => call(ask), { retries: 2, minTimeout: 5 });

/** @param isOnRecord whether Powertools keeps something under this key */
export const sdkClients = (powertools: Peer, isOnRecord: (key: string) => Promise<boolean>): McpSubject[] => [
  loop("SDK v1", v1),
  loop("SDK v2", v2),
  loop("SDK v1 with p-retry", v1, retried),
  {
    ...loop("SDK v1 in Powertools", v1, (call, order) => async (ask) => {
      let result: unknown;
      const told = await powertools.call(order, argumentsOf(order), async () => {
        result = await call(ask);
        if ((result as { isError?: boolean }).isError) throw new Error("tool error");
        return { ok: true, id: wordsIn(result) };
      });
      return result ?? told;
    }),
    isOnRecord,
  },
];
