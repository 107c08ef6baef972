/**
 * A session on stage: a real guard on a real store, real MCP servers, an official client, and a transcript of it all.
 * The transcripts (*.txt) are golden files, read as diffs: `npx vitest run test/transcripts -u` writes them anew.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import type { QueueDetail, QueueItem, Resolution } from "../../../src/entries/queue.ts";
import type { Store } from "../../../src/entries/store.ts";
import { createGuard, type Guard, type GuardOptions, type Outcome } from "../../../src/index.ts";
import { type Agent, agent } from "./agent.ts";
import { type StageClock, stageClock } from "./clock.ts";
import type { Served } from "./servers.ts";
import { type Transcript, transcript } from "./transcript.ts";

export interface Session {
  readonly guard: Guard;
  readonly page: Transcript;
  /** The store's folder. */
  readonly folder: string;
  /** Every outcome that the host heard, in order. */
  readonly outcomes: readonly Outcome[];
  connect(server: string, served: Served, sdk?: "v1" | "v2"): Promise<Agent>;
  /** Time goes by, with a line that says so. */
  passes(text: string, ms: number): Promise<void>;
  /** What the person sees who looks at the queue. */
  queue(): Promise<void>;
  resolve(id: string, resolution: Omit<Resolution, "version">): Promise<QueueDetail>;
  /** Compares with the golden file beside the test. */
  ends(file: string): Promise<void>;
}

export interface SessionOptions extends Omit<GuardOptions, "store" | "clock"> {
  /** @default a SQLite file of its own */
  readonly store?: GuardOptions["store"];
  /** Who speaks, where several guards share a page. */
  readonly page?: Transcript;
  /** A host that never calls `guard.start()`. @default false */
  readonly neverStarted?: boolean;
}

export async function session(title: string, options: SessionOptions = {}): Promise<Session> {
  const { page = transcript(title), neverStarted = false, store: given, ...policies } = options;
  const folder = newFolder();
  const work = { running: 0 };
  const clock = stageClock(() => work.running > 0);
  const store = counted(given ?? sqliteStore({ file: join(folder, "indoubt.db"), clock }), work);
  const guard = createGuard({ ...policies, store, clock });
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  return { folder, ...(await running(guard, page, clock, neverStarted)) };
}

/** The same store; `work` tells how many of its steps are under way. */
function counted(store: Store, work: { running: number }): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args);
        if (!(result instanceof Promise)) return result;
        work.running += 1;
        const done = () => {
          work.running -= 1;
        };
        result.then(done, done);
        return result;
      };
    },
  });
}

async function running(guard: Guard, page: Transcript, clock: StageClock, neverStarted: boolean) {
  const outcomes: Outcome[] = [];
  guard.on("outcome", (outcome) => outcomes.push(outcome));
  guard.on("warning", ({ message }) => page.line("warning", message));
  guard.on("changed_arguments", ({ server, tool, operation }) =>
    page.line("notice", `changed arguments: ${server} ${tool}, while ${operation} is open`),
  );
  if (!neverStarted) await guard.start();
  return {
    guard,
    page,
    outcomes,
    connect: (server: string, served: Served, sdk: "v1" | "v2" = "v1") =>
      agent({ guard, page, clock, server, served, sdk }),
    async passes(text: string, ms: number) {
      page.scene(text);
      await clock.pass(ms);
    },
    async queue() {
      await showQueue(guard, page);
    },
    async resolve(id: string, resolution: Omit<Resolution, "version">) {
      const { version } = await guard.queue.show(id);
      const { verdict, reason, ref } = resolution;
      page.line("operator", `resolves ${id}: ${verdict}${ref === undefined ? "" : ` (${ref})`}, "${reason}"`);
      return guard.queue.resolve(id, { ...resolution, version });
    },
    ends: (file: string) => expect(page.text()).toMatchFileSnapshot(join(import.meta.dirname, "..", file)),
  };
}

const DOUBT: readonly string[] = ["in_flight", "uncertain", "unresolved"];

async function showQueue(guard: Guard, page: Transcript): Promise<void> {
  const { items } = await guard.queue.list();
  const all = await guard.queue.list({ index: "open" });
  const waiting = all.items.filter(({ id, state }) => DOUBT.includes(state) && !items.some((item) => item.id === id));
  if (items.length + waiting.length === 0) page.line("queue", "(empty)");
  for (const item of items) showItem(page, item, "waits for a person");
  for (const item of waiting) showItem(page, item, "open, not in the queue yet");
}

function showItem(page: Transcript, item: QueueItem, where: string): void {
  page.line("queue", `${item.server} ${item.tool}: ${item.state} (${item.reason}), ${where}: ${item.id}`);
  page.line("  next", item.next);
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-session-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
