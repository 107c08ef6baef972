/** What a host (an agent framework, a loop, a proxy's client) has to bring along so that the suite can run on it. */
import assert from "node:assert/strict";
import type { Store } from "../../../src/entries/store.ts";
import { createGuard, type Guard } from "../../../src/index.ts";
import { spawnFaultServer } from "../fault/http-process.ts";
import type { JsonObject } from "../fault/json.ts";
import type { Script } from "../fault/script.ts";
import type { FaultServerControl } from "../fault/server-control.ts";
import { faultServerCommand } from "../fault/stdio-server.ts";

/** The promises that a host takes part in. */
export type HostRequirement = "C02" | "C03" | "C06" | "I9" | "I12" | "S12" | "T6-01" | "T7-01" | "T8-01" | "T9-03";

/** A tool call that the scripted model asks for. */
export interface HostCall {
  /** The id that the model gives it. */
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** What the model read for one call. */
export interface HostReading {
  readonly id: string;
  readonly text: string;
}

/** The server under the host: to connect to, or to spawn. */
export type HostTarget =
  | { readonly kind: "http"; readonly url: string }
  | { readonly kind: "stdio"; readonly command: string; readonly args: string[]; readonly env: Record<string, string> };

/** One run of an agent. */
export interface HostRun {
  readonly guard: Guard;
  /** The name of the server in the guard's configuration. */
  readonly server: string;
  readonly target: HostTarget;
  /** Names the run, where the host has a way to be told. The same in a run that is played again. */
  readonly runId: string;
  /** What the scripted model asks for in each turn. After the last one it ends the run with a text. */
  readonly turns: readonly (readonly HostCall[])[];
}

export interface HostHarness {
  readonly transport: "http" | "stdio";
  /** A fresh, empty store. */
  store(): Store;
  /**
   * Plays the run with the host's own loop and a new client, and returns what the model read in each turn. Rejects when the
   * host gave up the run.
   */
  play(run: HostRun): Promise<readonly (readonly HostReading[])[]>;
  /**
   * Whether run and call ids reach the guard, so that a run that is played again is answered from the record.
   * @default true
   */
  readonly carriesIds?: boolean;
  /**
   * Whether the host runs the calls of one turn at the same time.
   * @default true
   */
  readonly together?: boolean;
}

/** One promise of a host. `run` rejects with an assertion error that says what broke. */
export interface HostCase {
  readonly name: string;
  readonly requirement: HostRequirement;
  /** Only over this transport. */
  readonly transport?: "http" | "stdio";
  /** Only for hosts that carry ids, or run calls together. */
  readonly needs?: "carriesIds" | "together";
  run(harness: HostHarness): Promise<void>;
}

/** A guard, a server with a script, and a host between them. */
export interface HostBench {
  readonly guard: Guard;
  readonly log: FaultServerControl["log"];
  /** Plays turns in a run of this name; a list per turn of what was read. */
  play(turns: readonly (readonly HostCall[])[], runId?: string): Promise<readonly (readonly HostReading[])[]>;
  /** The same for one call per turn: what was read, flat. */
  ask(...calls: HostCall[]): Promise<string[]>;
}

export const SERVER = "billing.acme";
const SECRET = "a secret of the host suite, not of yours";
/** Long enough for a busy machine, short enough to wait for, in ms. */
export const DEADLINE = 1_500;

const TOOLS = { find_invoice: { effect: "read" }, create_invoice: {}, send_email: {} } as const;

export function hostCase(
  requirement: HostRequirement,
  name: string,
  script: Script,
  act: (bench: HostBench) => Promise<void>,
  more: Pick<HostCase, "transport" | "needs"> = {},
): HostCase {
  const run = async (harness: HostHarness): Promise<void> => {
    const server = await serve(harness.transport, script);
    const guard = createGuard({
      store: harness.store(),
      secret: SECRET,
      sweepEvery: "1h",
      servers: { [SERVER]: { deadline: DEADLINE, tools: TOOLS } },
    });
    try {
      await act(benchOf(harness, guard, server));
    } finally {
      await guard.close({ within: 0 });
      await server.end();
    }
  };
  return { name, requirement, ...more, run };
}

type Served = FaultServerControl & { readonly target: HostTarget; end(): Promise<void> };

async function serve(transport: HostHarness["transport"], script: Script): Promise<Served> {
  if (transport === "http") {
    const server = await spawnFaultServer({ script });
    return { ...server, target: { kind: "http", url: server.url }, end: server.close };
  }
  const server = faultServerCommand({ script });
  const { command, args, env } = server;
  return { ...server, target: { kind: "stdio", command, args, env }, end: async () => server.remove() };
}

function benchOf(harness: HostHarness, guard: Guard, { target, log }: Served): HostBench {
  let runs = 0;
  const play: HostBench["play"] = async (turns, runId = `run-${++runs}`) => {
    const read = await harness.play({ guard, server: SERVER, target, runId, turns });
    const ids = (all: readonly (readonly { id: string }[])[]) => all.map((turn) => turn.map(({ id }) => id));
    assert.deepEqual(ids(read), ids(turns), "the model must read one result for each call, in order, under its id");
    return read;
  };
  return {
    guard,
    log,
    play,
    ask: async (...calls) => (await play(calls.map((call) => [call]))).flat().map(({ text }) => text),
  };
}

export const invoice = (id: string, changes: JsonObject = {}): HostCall => ({
  id,
  tool: "create_invoice",
  arguments: { customer: "acme", order: "o-1", amount: 12, ...changes },
});
export const email = (id: string): HostCall => ({
  id,
  tool: "send_email",
  arguments: { to: "ann@acme.example", subject: "Hello", body: "It is done." },
});
export const lookup = (id: string): HostCall => ({ id, tool: "find_invoice", arguments: { order: "o-1" } });

/** Texts on which frameworks decide to send again, or that tell a model to. */
const INVITES =
  /try again|please retry|fix your mistakes|fetch failed|connection closed|not connected|HTTP [45]\d\d|ECONN|terminated|timed? ?out/i;

/** Asserts that the model reads of a doubt, and of nothing that invites a repeat. */
export function assertDoubt(text: string | undefined): void {
  assert.match(text ?? "", /\[outcome_(uncertain|unresolved)\]/, "the model must read that the outcome is not known");
  assert.match(text ?? "", /Do not repeat this action/, "the model must read what not to do");
  assert.doesNotMatch(text ?? "", INVITES, "nothing may invite a repeat");
}
