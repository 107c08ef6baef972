/**
 * Calls in several rounds through the proxy, which is killed between two of them. The next round finds its call in
 * whatever proxy it comes to, and nothing is sent twice. The effect log is the judge.
 */
import type { Client as ClientV2 } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../src/index.ts";
import { type Given, type Host, INVOICE, markOf, PAIRINGS, proxied, type Scene, textOf } from "./support.ts";

const STATE = "state-1";
const ASKS = { create_invoice: [{ reply: { input_required: STATE } }] } as const;
const OVER_HTTP = PAIRINGS.filter((pairing) => pairing.startsWith("http"));

/** `callTool` would read a question as a result without its structured content. */
const call = ({ client }: Pick<Host, "client">, more: object = {}): Promise<JsonObject> => {
  const params = { name: "create_invoice", arguments: INVOICE, ...more };
  const options = { allowInputRequired: true, timeout: 20_000 };
  return (client as ClientV2).request({ method: "tools/call", params } as never, z.looseObject({}), options) as never;
};
const inputResponses = { confirm: { action: "accept", content: { ok: true } } };
const answer = (host: Pick<Host, "client">, requestState = STATE) => call(host, { inputResponses, requestState });

const scene = (pairing: Given["pairing"], more: Partial<Given> = {}) =>
  proxied({ pairing, client: "v2 2026", script: ASKS, lease: 1_000, ...more });
const sent = ({ server }: Scene) => server.log.arrivals("create_invoice").map(({ requestState }) => requestState);

describe.each(PAIRINGS)("%s", (pairing) => {
  test.each([{}, { tools: { create_invoice: { identity: "per-call" } } }] as const)(
    "W1-08 a proxy that is killed between two rounds: the next one goes on with the call (%o)",
    async (more) => {
      const given = await scene(pairing, more);
      expect(await call(given)).toMatchObject({ resultType: "input_required", requestState: STATE });
      await given.recorded("in_flight");
      await given.killProxy();
      const host = await given.again();
      const result = await answer(host);
      expect(result).toMatchObject({ structuredContent: { id: expect.stringMatching(/^inv_/) } });
      expect(markOf(result)).toEqual({});

      const repeat = await answer(host);
      expect(markOf(repeat).recalled).toBe(true);
      expect([sent(given), given.effects()]).toEqual([[undefined, STATE], 1]);
    },
  );

  test("W1-08 killed with a round under way: that round is in doubt, and its repeat is held", async () => {
    const given = await scene(pairing, {
      script: { create_invoice: [...ASKS.create_invoice, { reply: "never" }] },
    });
    await call(given);
    void answer(given).catch(() => {});
    await given.landed(1);
    await given.killProxy();
    const host = await given.again();
    const repeat = await answer(host);
    expect(markOf(repeat)).toMatchObject({ attempts: 1, heldBy: expect.any(String) });
    expect(textOf(repeat)).toMatch(/not sent/);
    expect([sent(given), given.effects()]).toEqual([[undefined, STATE], 1]);
  });
});

test.each(OVER_HTTP)("W1-08 %s: two hosts bring the answer at once: one round is sent", async (pairing) => {
  const given = await scene(pairing);
  await call(given);
  const other = await given.again();
  const results = await Promise.all([answer(given), answer(other)]);
  for (const result of results) expect(result).toMatchObject({ structuredContent: { id: "inv_2" } });
  expect([sent(given), given.effects()]).toEqual([[undefined, STATE], 1]);
});

test.each(["http to http", "stdio to http"] as const)(
  "%s: error -32042, a killed proxy, and the same call again is the next round",
  async (pairing) => {
    const url = { code: -32042, message: "Sign in", data: { elicitations: [] } };
    const given = await proxied({
      pairing,
      client: "v1",
      lease: 1_000,
      script: { create_invoice: [{ commit: "none", reply: { rpcError: url } }, { reply: "ok" }] },
    });
    await expect(given.call("create_invoice", INVOICE)).rejects.toMatchObject({ code: -32042 });
    await given.killProxy();
    const host = await given.again();
    const result = await host.call("create_invoice", INVOICE);
    expect([result.isError, markOf(result)]).toEqual([undefined, {}]);
    expect([sent(given).length, given.effects()]).toEqual([2, 1]);
  },
);
