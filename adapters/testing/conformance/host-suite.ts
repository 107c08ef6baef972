/**
 * The conformance suite for hosts: agent frameworks, loops, anything that calls tools for a model. A scripted model asks, a
 * real MCP server in a child process loses replies, and the server's log of effects is the judge.
 */
import assert from "node:assert/strict";
import type { Step } from "../fault/script.ts";
import {
  assertDoubt,
  DEADLINE,
  email,
  type HostCase,
  type HostHarness,
  hostCase,
  invoice,
  lookup,
} from "./host-harness.ts";
import type { StoreTestRunner } from "./store-suite.ts";

/** How the reply to a write that happened gets lost, by transport. */
const LOSSES: readonly (readonly [string, "http" | "stdio" | undefined, Step])[] = [
  ["never comes", undefined, { reply: "never" }],
  ["is an end of the stream", "http", { reply: "close_stream" }],
  ["is a reset of the connection", "http", { reply: "reset" }],
  ["is an event stream that ends", "http", { reply: "sse_end" }],
  ["is a 504 of a gateway", "http", { reply: { status: 504, when: "after" } }],
  ["is a 409", "http", { reply: { status: 409, when: "after" } }],
  ["is the death of the server", "stdio", { reply: "kill_process" }],
  [
    "is an error of the server",
    undefined,
    { reply: { rpcError: { code: -32603, message: "HTTP 403 after commit: fetch failed" } } },
  ],
];

const lost: readonly HostCase[] = LOSSES.map(([words, transport, step]) =>
  hostCase(
    "C02",
    `a write whose reply ${words} happens once, and the model reads that it is in doubt`,
    { create_invoice: [step, {}] },
    async ({ ask, log }) => {
      const [first] = await ask(invoice("call_1"));
      assert.equal(log.arrivals("create_invoice").length, 1, "sent once");
      assert.equal(log.effects("create_invoice").length, 1, "one effect");
      if (!isServersWords(step)) assertDoubt(first);
    },
    transport && { transport },
  ),
);

/** The words of the server are passed on as they came. */
const isServersWords = ({ reply }: Step): boolean => typeof reply === "object" && "rpcError" in reply;

const passing: readonly HostCase[] = [
  hostCase(
    "C06",
    "a healthy write happens once and the model reads the server's own answer",
    {},
    async ({ ask, log }) => {
      const [first] = await ask(invoice("call_1"));
      assert.match(first ?? "", /inv_1/);
      assert.doesNotMatch(first ?? "", /\[/, "nothing of ours is in a plain answer");
      assert.equal(log.effects("create_invoice").length, 1);
    },
  ),
  hostCase("C06", "a read passes and finds what was written", {}, async ({ ask, log }) => {
    const [, found] = await ask(invoice("call_1"), lookup("call_2"));
    assert.match(found ?? "", /inv_1/);
    assert.equal(log.reads("find_invoice").length, 1);
  }),
  hostCase("C06", "another order is another write", {}, async ({ ask, log }) => {
    await ask(invoice("call_1"), invoice("call_2", { order: "o-2" }));
    assert.equal(log.effects("create_invoice").length, 2);
  }),
  hostCase(
    "I9",
    "a tool error after the write is told as it came, and no retry of the host writes again",
    { create_invoice: [{ reply: { isError: "the ledger is busy, please try again" } }, {}] },
    async ({ ask, log }) => {
      const [first] = await ask(invoice("call_1"));
      assert.match(first ?? "", /the ledger is busy/);
      assert.equal(log.effects("create_invoice").length, 1);
    },
  ),
];

const again: readonly HostCase[] = [
  hostCase(
    "T7-01",
    "a model that asks again under new ids, in the same words, is held: one effect",
    { create_invoice: [{ reply: "never" }, {}] },
    async ({ ask, log }) => {
      const read = await ask(invoice("call_1"), invoice("call_2"), lookup("call_3"), invoice("call_4"));
      for (const index of [0, 1, 3]) assertDoubt(read[index]);
      assert.match(read[1] ?? "", /This request was not sent/);
      assert.match(read[2] ?? "", /inv_1/, "a read is not held");
      assert.equal(log.arrivals("create_invoice").length, 1);
    },
  ),
  hostCase(
    "T6-01",
    "another run that asks the same while the first is in doubt is held: one effect",
    { create_invoice: [{ reply: "never" }, {}] },
    async ({ ask, log }) => {
      const read = [...(await ask(invoice("call_1"))), ...(await ask(invoice("call_9")))];
      for (const text of read) assertDoubt(text);
      assert.equal(log.arrivals("create_invoice").length, 1);
    },
  ),
  hostCase(
    "I12",
    "an answer that comes after the deadline is told when the model asks again",
    { create_invoice: [{ reply: { late: DEADLINE + 300 } }, {}], find_invoice: [{ reply: { late: 700 } }] },
    async ({ ask, log }) => {
      const read = await ask(invoice("call_1"), lookup("call_2"), invoice("call_3"));
      assertDoubt(read[0]);
      assert.match(read[2] ?? "", /inv_1/);
      assert.match(read[2] ?? "", /\[recalled\]/);
      assert.equal(log.arrivals("create_invoice").length, 1);
    },
  ),
  hostCase(
    "T9-03",
    "a run that is played again with its ids is answered from the record",
    {},
    async ({ play, log }) => {
      const turns = [[invoice("call_1")], [email("call_2")]];
      await play(turns, "the same run");
      const read = (await play(turns, "the same run")).flat();
      for (const { text } of read) assert.match(text, /\[recalled\]/);
      assert.equal(log.effects().length, 2);
    },
    { needs: "carriesIds" },
  ),
];

const turns: readonly HostCase[] = [
  hostCase(
    "T8-01",
    "two equal calls of one turn share one effect, and each gets its result",
    { create_invoice: [{ reply: { late: 150 } }, {}] },
    async ({ play, log }) => {
      const [read] = await play([[invoice("call_1"), invoice("call_2")]]);
      for (const { text } of read ?? []) assert.match(text, /inv_1/);
      assert.equal(log.effects("create_invoice").length, 1);
    },
    { needs: "together" },
  ),
  hostCase(
    "C06",
    "a call in doubt does not lose the results of the other calls of its turn",
    { create_invoice: [{ reply: "never" }, {}] },
    async ({ play, log }) => {
      const [read] = await play([[email("call_1"), invoice("call_2"), lookup("call_3")]]);
      assert.match(read?.[0]?.text ?? "", /mail_1/);
      assertDoubt(read?.[1]?.text);
      assert.match(read?.[2]?.text ?? "", /invoices/);
      assert.equal(log.effects("send_email").length, 1);
    },
  ),
];

/** All cases. */
export const hostSuite: readonly HostCase[] = [...passing, ...lost, ...again, ...turns];

/**
 * Registers the suite with a test runner. Cases of another transport, or that need what the host does not do, are left out.
 * @example
 * describeHost("my framework", { transport: "http", store: memoryStore, play }, { describe, test });
 */
export function describeHost(name: string, harness: HostHarness, { describe, test }: StoreTestRunner): void {
  const { carriesIds = true, together = true } = harness;
  const has = { carriesIds, together };
  describe(`${name} (${harness.transport}) keeps the promises of a host`, () => {
    for (const { name: sentence, requirement, transport, needs, run } of hostSuite) {
      if ((transport && transport !== harness.transport) || (needs && !has[needs])) continue;
      test(`${sentence} (${requirement})`, () => run(harness));
    }
  });
}
