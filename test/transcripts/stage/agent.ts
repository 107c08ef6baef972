/** An agent that calls tools through a guarded client; everything that it causes and reads goes on the page. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";
import { guardClient } from "../../../adapters/mcp/index.ts";
import type { LogEntry } from "../../../adapters/testing/index.ts";
import { type CallContext, type Guard, type JsonObject, type Outcome, withCallContext } from "../../../src/index.ts";
import type { StageClock } from "./clock.ts";
import type { Served } from "./servers.ts";
import type { Transcript } from "./transcript.ts";

export interface CallOptions {
  /** What the agent passes to the SDK, in ms. */
  readonly timeout?: number;
  /** Time that passes once the call has arrived or had the time to arrive, in ms, and how the page says it. */
  readonly passes?: readonly [string, number];
  /** The call waits for another one: nothing arrives. @default false */
  readonly joins?: boolean;
  /** What the framework knows. @default nothing */
  readonly context?: CallContext;
  /** Off the page: for the many that go well. */
  readonly quiet?: boolean;
}

export interface Said {
  readonly text: string;
  readonly isError: boolean;
  readonly outcome: Outcome | undefined;
}

export interface Agent {
  call(tool: string, args: JsonObject, options?: CallOptions): Promise<Said>;
  /** What arrived and happened since the page last said so. */
  events(): void;
  /** Forgets what happened off the page. */
  readPast(): void;
  effects(tool?: string): number;
  arrivals(tool?: string): number;
  close(): Promise<void>;
}

export interface Setting {
  readonly guard: Guard;
  readonly page: Transcript;
  readonly clock: StageClock;
  readonly server: string;
  readonly served: Served;
  readonly sdk: "v1" | "v2";
}

const SELF = { name: "host", version: "1.0.0" };

export async function agent(setting: Setting): Promise<Agent> {
  const { page, served } = setting;
  const client = await (setting.sdk === "v1" ? connectV1(setting) : connectV2(setting));
  onTestFinished(() => client.close().catch(() => {}));
  let shown = 0;
  const fresh = () => served.log.entries().slice(shown);
  const arrived = (before: number, calling: Promise<unknown>) =>
    Promise.race([served.log.waitFor(({ arrivals }) => arrivals().length > before, 10_000), calling.catch(() => {})]);
  const events = () => {
    for (const entry of fresh()) show(page, entry);
    shown = served.log.entries().length;
  };
  return {
    events,
    readPast() {
      shown = served.log.entries().length;
    },
    effects: (tool) => served.log.effects(tool).length,
    arrivals: (tool) => served.log.arrivals(tool).length,
    close: () => client.close(),
    async call(tool, args, options = {}) {
      const { timeout, passes, quiet = false } = options;
      const before = served.log.arrivals().length;
      if (!quiet)
        page.line("agent", `${tool} ${JSON.stringify(args)}${timeout === undefined ? "" : `, timeout ${timeout} ms`}`);
      let outcome: Outcome | undefined;
      const onOutcome = (heard: Outcome) => {
        outcome = heard;
      };
      const calling = withCallContext({ ...options.context, onOutcome }, () =>
        client.call(tool, args, timeout === undefined ? {} : { timeout }),
      );
      if (passes) await letPass(setting, options.joins ? sleep(300) : arrived(before, calling), passes, events);
      const { text, isError } = await calling.then(read, (error: unknown) => ({
        text: `threw ${(error as Error).name}: ${(error as Error).message}`,
        isError: true,
      }));
      if (!quiet) {
        events();
        page.line("model", `${isError ? "(error) " : ""}${text}`);
      }
      return { text, isError, outcome };
    },
  };
}

async function letPass(
  { page, clock }: Setting,
  ready: Promise<unknown>,
  [text, ms]: readonly [string, number],
  events: () => void,
): Promise<void> {
  await ready;
  await sleep(50);
  events();
  page.line("", `(${text})`);
  await clock.pass(ms);
}

function show(page: Transcript, entry: LogEntry): void {
  if (entry.kind === "arrival") page.line("  sent", `${entry.tool} ${JSON.stringify(entry.arguments)}`);
  if (entry.kind === "effect") page.line("  effect", entry.reference);
}

function read(result: unknown): { text: string; isError: boolean } {
  const { content, isError } = result as { content: { text?: string }[]; isError?: boolean };
  return { text: content.map(({ text }) => text ?? "").join("\n"), isError: isError === true };
}

interface Connected {
  call(tool: string, args: JsonObject, options: { timeout?: number }): Promise<unknown>;
  close(): Promise<void>;
}

async function connectV1({ guard, server, served }: Setting): Promise<Connected> {
  const client = guardClient(guard, server, new ClientV1(SELF));
  await client.connect(new StdioV1({ ...commandOf(served), stderr: "ignore" }));
  await client.listTools();
  return {
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    close: () => client.close(),
  };
}

async function connectV2({ guard, server, served }: Setting): Promise<Connected> {
  const client = guardClient(guard, server, new ClientV2(SELF));
  await client.connect(new StdioV2({ ...commandOf(served), stderr: "ignore" }));
  await client.listTools();
  return {
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
}

const commandOf = ({ command, args, env }: Served) => ({ command, args, ...(env && { env }) });
