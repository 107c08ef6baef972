/**
 * The scenario language of the incident cases: given a scripted server and a policy, when a host calls tools through a
 * real client, then this arrived, this happened, this was said, this waits in the queue. The judge is the effect log.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import {
  type Effect,
  type FaultServerOptions,
  faultServerCommand,
  type HttpFaultServerOptions,
  type PathStep,
  startFaultPath,
  startFaultServer,
} from "../../adapters/testing/index.ts";
import type { QueueDetail } from "../../src/entries/queue.ts";
import type { Store } from "../../src/entries/store.ts";
import {
  type CallContext,
  createGuard,
  type Guard,
  type GuardOptions,
  type JsonObject,
  type Outcome,
  withCallContext,
} from "../../src/index.ts";
import { type CaseClient, type ClientName, type ConnectOptions, connectClient, type Target } from "./clients.ts";
import { watchPlans } from "./plans.ts";

/** The name under which the cases configure their server. */
export const SERVER = "billing.acme";
/** One invoice: the identity arguments, an amount and free text. */
export const INVOICE = { customer: "acme", order: "o-1", amount: 12 };
const SECRET = "a secret of the incident cases";

type ToolOptions = NonNullable<NonNullable<NonNullable<GuardOptions["servers"]>[string]>["tools"]>;
export type ToolPolicyInput = ToolOptions[string];

/** Short limits, so that what takes minutes in life takes moments here. */
export const QUICK = { deadline: 400, settle: 200 } as const;
export const READ = { effect: "read" } as const satisfies ToolPolicyInput;
/** Several at a time, each with the short limits. */
export const writes = (...names: string[]): Record<string, ToolPolicyInput> =>
  Object.fromEntries(names.map((name) => [name, QUICK]));

export interface Given {
  /** @default "v1" */
  readonly client?: ClientName;
  readonly script?: FaultServerOptions["script"];
  readonly tools?: FaultServerOptions["tools"];
  readonly destination?: FaultServerOptions["destination"];
  /** Only over HTTP. @default "json" */
  readonly answers?: HttpFaultServerOptions["answers"];
  /** What lies between client and server, only over HTTP. */
  readonly path?: readonly PathStep[];
  /** Merged over the defaults: reads are reads, writes have short limits. */
  readonly policy?: Record<string, ToolPolicyInput>;
  readonly options?: Omit<GuardOptions, "store" | "secret" | "servers">;
  readonly rejectsBeforeWork?: number[];
  readonly store?: Store;
  readonly connect?: ConnectOptions;
}

/** What one call came to: for the host (`outcome`) and for the model (`text`, `isError`). */
export interface Said {
  readonly outcome: Outcome;
  /** `outcome.kind`, or `threw` where the SDK's caller gets an exception. */
  readonly kind: Outcome["kind"];
  readonly text: string;
  readonly isError: boolean;
  readonly result: JsonObject | undefined;
  readonly error: unknown;
}

/** One host process: a guard of its own and a client of its own. */
export interface Host {
  readonly guard: Guard;
  readonly client: CaseClient;
  call(tool: string, args: object, context?: CallContext): Promise<Said>;
  /** Sweeps until the operation is in one of these states. */
  until(operation: string, ...states: string[]): Promise<QueueDetail>;
  /** What waits for a person. */
  queue(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Scene extends Host {
  readonly server: Target;
  readonly store: Store;
  effects(tool?: string): readonly Effect[];
  arrivals(tool?: string): number;
  /** Another process on the same store: `store` is its handle. */
  another(store: Store, more?: Partial<Given>): Promise<Host>;
  /** Another client of the same guard, as after a reconnect. */
  reconnect(options?: ConnectOptions): Promise<CaseClient>;
  /** Resolves when so many effects of the tool are in the log. */
  landed(count: number, tool?: string): Promise<void>;
}

export async function overHttp(given: Given = {}): Promise<Scene & { readonly server: HttpTarget }> {
  const { script, tools, destination, answers } = given;
  const server = await startFaultServer(defined({ script, tools, destination, answers }));
  onTestFinished(() => server.close());
  const path = given.path && (await startFaultPath(server.url, { steps: given.path }));
  if (path) onTestFinished(() => path.close());
  const target = { ...server, ...watchPlans(server, script), server, ...(path && { path, url: path.url }) };
  return scene(given, target) as Promise<Scene & { readonly server: HttpTarget }>;
}
export type HttpTarget = Extract<Target, { url: string }>;

export async function overStdio(given: Given = {}): Promise<Scene> {
  const { script, tools, destination } = given;
  const server = faultServerCommand(defined({ script, tools, destination }));
  onTestFinished(() => server.remove());
  return scene(given, { ...server, ...watchPlans(server, script) });
}

async function scene(given: Given, server: Target): Promise<Scene> {
  const store = given.store ?? memoryStore();
  const first = await host(given, server, store);
  return {
    ...first,
    server,
    store,
    effects: (tool) => server.log.effects(tool),
    arrivals: (tool) => server.log.arrivals(tool).length,
    another: (handle, more = {}) => host({ ...given, ...more }, server, handle),
    reconnect: (options) => connectClient(first.guard, SERVER, given.client ?? "v1", server, options),
    landed: (count, tool) => server.log.waitFor(({ effects }) => effects(tool).length === count, 5_000),
  };
}

async function host(given: Given, server: Target, store: Store): Promise<Host> {
  const guard = guardOf(given, store);
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  const client = await connectClient(guard, SERVER, given.client ?? "v1", server, given.connect);
  return { guard, client, ...hostOf(guard, client, (tool) => deadlineOf(given, server, tool)) };
}

/**
 * Where the server is going to stall, the deadline comes soon. Where it answers, it has time: a busy machine is no fault.
 * What the case's own policy says about it stands.
 */
function deadlineOf({ policy = {} }: Given, server: Target, tool: string): CallContext {
  if (policy[tool]?.deadline !== undefined) return {};
  if (!server.stallsNext(tool)) return { deadline: 5_000 };
  return { deadline: policy[tool]?.reconcile ? 1_000 : QUICK.deadline };
}

export function guardOf({ policy = {}, options, rejectsBeforeWork = [] }: Given, store: Store): Guard {
  const merged = Object.fromEntries(Object.entries(policy).map(([name, own]) => [name, withDefaults(own)]));
  const tools = { ...DEFAULTS, ...merged };
  const servers = { [SERVER]: { deadline: QUICK.deadline, rejectsBeforeWork, tools } };
  // A case sweeps when it says so: what the sweeper does meanwhile must not depend on the machine's speed.
  return createGuard({ sweepEvery: "1h", ...options, store, secret: SECRET, servers });
}

const DEFAULTS: Record<string, ToolPolicyInput> = {
  ...writes("create_invoice", "send_email", "write_file"),
  find_invoice: READ,
  list_files: READ,
};
const withDefaults = (own: ToolPolicyInput): ToolPolicyInput => (own.effect === "read" ? own : { ...QUICK, ...own });

export function hostOf(
  guard: Guard,
  client: CaseClient,
  usual: (tool: string) => CallContext = () => ({}),
): Omit<Host, "guard" | "client"> {
  return {
    call: (tool, args, context = {}) => ask(client, tool, args, { ...usual(tool), ...context }),
    until: (operation, ...states) => sweepUntil(guard, operation, states),
    queue: async () => (await guard.queue.list()).items.map(({ id }) => id),
    close: async () => {
      await client.close();
      await guard.close({ within: 0 });
    },
  };
}

async function ask(client: CaseClient, tool: string, args: object, context: CallContext): Promise<Said> {
  let outcome: Outcome | undefined;
  const onOutcome = (heard: Outcome) => {
    outcome = heard;
  };
  const run = () => client.call(tool, args as JsonObject);
  const settled = await withCallContext({ ...context, onOutcome }, run).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  );
  if (!outcome) throw new Error(`No outcome for ${tool}: ${String(settled.error)}`);
  const { result, error } = settled;
  const text = result ? textOf(result) : String((error as Error).message);
  const doubt = ["uncertain", "unresolved"].includes(outcome.kind);
  if (doubt) expectSafeWords(result, text);
  return { outcome, kind: outcome.kind, text, isError: result ? result.isError === true : true, result, error };
}

/**
 * Doubt never comes as an exception or a plain success, never advises a repeat, never matches what frameworks grep for.
 * Our words are the lines that begin with a code; the others are the server's, which are passed on as they came.
 */
function expectSafeWords(result: JsonObject | undefined, said: string): void {
  expect(result, "doubt is a result, never an exception").toBeDefined();
  expect(result?.isError).toBe(true);
  const text = said
    .split("\n")
    .filter((line) => line.startsWith("["))
    .join("\n");
  expect(text).not.toBe("");
  expect(text).not.toMatch(/try again|please retry|retry the/i);
  expect(text).not.toMatch(/fetch failed|connection closed|not connected|HTTP [45]\d\d|ECONN|terminated|timed? ?out/i);
}

function textOf({ content }: JsonObject): string {
  if (!Array.isArray(content)) return "";
  return content.map((block) => String((block as JsonObject).text ?? "")).join("\n");
}

async function sweepUntil(guard: Guard, operation: string, states: readonly string[]): Promise<QueueDetail> {
  const end = Date.now() + 8_000;
  for (;;) {
    await guard.sweep();
    const item = await guard.queue.show(operation);
    if (states.includes(item.state)) return item;
    if (Date.now() > end) throw new Error(`${operation} stays ${item.state} (${item.reason}): ${states.join(", ")}`);
    await sleep(40);
  }
}

/** The facts of the wire that the history of an operation holds, oldest first. */
export const evidenceOf = ({ audit }: QueueDetail): unknown[] =>
  audit.flatMap(({ evidence }) => (evidence === undefined ? [] : [evidence]));

/** One after the other, as a model does. */
export async function inTurn<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let index = 0; index < count; index += 1) all.push(await run(index));
  return all;
}

/** The same, with one word for doubt: whether the sweeper has already called a person is another matter. */
export const verdicts = (all: readonly Said[]): string[] =>
  all.map(({ kind }) => (kind === "unresolved" || kind === "uncertain" ? "in doubt" : kind));

export const kinds = (all: readonly Said[]): string[] => all.map(({ kind }) => kind);

/** What {@link inTurn} and a hook need of a lookup: the objects that the destination shows. */
export function objectsIn(result: JsonObject, list: string): readonly JsonObject[] {
  const data = (result.structuredContent ?? JSON.parse(textOf(result))) as JsonObject;
  return (data[list] ?? []) as JsonObject[];
}

function defined<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

export { sleep };
