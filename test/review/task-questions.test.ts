/** Questions that a server asks for a task, on their way to the client of its call: at its pace, and word for word. */
import { expect, test, vi } from "vitest";
import { askOnWayOf } from "../../adapters/mcp/fetch-task.ts";
import type { ToolCallFrame } from "../../adapters/mcp/frames.ts";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pay", arguments: {} } } as ToolCallFrame;
const EVENT_STREAM = { headers: { "content-type": "text/event-stream" } };
const question = (id: number, message: string): string =>
  `id: ${id}\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, method: "elicitation/create", params: { message } })}\n\n`;

/** Asks for the result of a task; the server answers with these events, as fast as it is read. */
function asked(eventOf: (n: number) => string | undefined) {
  const closing = new AbortController();
  const sent = { events: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      const event = eventOf(sent.events);
      if (event === undefined) return stream.close();
      sent.events += 1;
      stream.enqueue(new TextEncoder().encode(event));
    },
  });
  const answer = vi.fn<(response: Response) => void>();
  const init = { method: "POST", headers: { authorization: "Bearer theirs" } };
  const request = { url: "http://127.0.0.1/mcp", method: "POST", init, body: "", message: CALL, original: [""] };
  const ask = askOnWayOf(
    { fetch: async () => new Response(body, EVENT_STREAM), closing: closing.signal, freshId: () => "own" } as never,
    request as never,
    CALL,
    { respond: answer as never },
  );
  const evidence = ask({ method: "tasks/result", task: "t", cancel: new AbortController().signal });
  const client = vi.waitFor(() => {
    expect(answer).toHaveBeenCalledOnce();
    return answer.mock.calls[0]?.[0] as Response;
  }, 10_000);
  return { closing, sent, evidence, client };
}

test("a server that asks for ever waits for a client that does not read, and for nobody once the guard closes", async () => {
  const { closing, sent, evidence, client } = asked((n) => question(n, "x".repeat(60_000)));
  await client;
  await new Promise((resolve) => setTimeout(resolve, 100));
  const before = sent.events;
  expect(before).toBeLessThan(20);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(sent.events).toBe(before);
  closing.abort();
  expect(await evidence).toMatchObject({ kind: "silence" });
});

test("the event's id is taken out, and nothing of what the server asks", async () => {
  const words = "sure?\u2028id: 7";
  const { client, evidence } = asked((n) => (n === 0 ? question(7, words) : undefined));
  const reader = (await client).body?.getReader();
  const text = new TextDecoder().decode((await reader?.read())?.value);
  const [, data = ""] = /^data: (.*)\n\n$/su.exec(text) ?? [];
  expect(JSON.parse(data)).toMatchObject({ id: 7, params: { message: words } });
  expect(await evidence).toMatchObject({ kind: "silence" });
});
