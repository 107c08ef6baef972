/** A stand-in for the API of Anthropic that says what is written here: no network, no key. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ASKS } from "../support/lossy-billing.ts";

export async function scriptedApi() {
  const asks = ASKS[Symbol.iterator]();
  let turn = 0;
  const server = createServer((_, response) => {
    const ask = asks.next().value;
    const content = ask
      ? [{ type: "tool_use", id: ask.id, name: ask.name, input: ask.arguments }]
      : [{ type: "text", text: "done" }];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${++turn}`, type: "message", role: "assistant", model: "scripted", content, usage };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...message, stop_reason: ask ? "tool_use" : "end_turn", stop_sequence: null }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { baseURL, close: () => server.close() };
}
