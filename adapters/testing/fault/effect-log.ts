import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import type { Era } from "./eras.ts";
import type { JsonObject, RequestId } from "./json.ts";

/** A `tools/call` that reached the server, whatever became of it. */
export interface Arrival {
  readonly kind: "arrival";
  /** Milliseconds since 1970, like every `at`. */
  readonly at: number;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly meta: JsonObject;
  readonly requestId: RequestId;
  readonly era: Era;
  /** False when the script made the call die before the tool was entered. */
  readonly accepted: boolean;
  /** The process that served it: a new one after a restart. */
  readonly pid: number;
  /** Unique per arrival; its position in the file gives the arrival its number. */
  readonly token: string;
  /** The message as it came, byte for byte: numbers keep their digits here. */
  readonly raw: string;
  /** The request's headers in lower case (HTTP). */
  readonly headers?: Readonly<Record<string, string>>;
  /** The `Idempotency-Key` header (HTTP). */
  readonly keyHeader?: string;
  /** The `Mcp-Session-Id` header (HTTP, 2025 era). */
  readonly session?: string;
  /** The `requestState` of a continuation (2026 era). */
  readonly requestState?: string;
}

/** Something happened in the world: the judge of every test. */
export interface Effect {
  readonly kind: "effect";
  readonly at: number;
  readonly tool: string;
  /** What was written; shorter than what was sent when only a part was written. */
  readonly arguments: JsonObject;
  /** The id of the object that now exists. */
  readonly reference: string;
  /** False when the script committed only a part. */
  readonly complete: boolean;
  /** Number of the arrival that caused it, from 1. */
  readonly arrival: number;
  readonly requestId: RequestId;
  /** The native key that the destination honoured. */
  readonly key?: string;
  readonly keyHeader?: string;
  /** `pending` when the destination only accepted the work. */
  readonly status?: string;
}

/** A lookup was answered, or refused. */
export interface Read {
  readonly kind: "read";
  readonly at: number;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly arrival: number;
  readonly found: number;
  readonly failed: boolean;
}

/** The caller took a call back: `notifications/cancelled`, or a closed connection in the 2026 era. */
export interface Cancel {
  readonly kind: "cancel";
  readonly at: number;
  readonly requestId: RequestId;
  readonly reason: string;
}

export type LogEntry = Arrival | Effect | Read | Cancel;

/**
 * The append-only record of what the fault server received and did. It is a file of JSON lines, written before any
 * reply, so it survives `kill -9` of the server.
 *
 * @example
 * await log.waitFor(({ effects }) => effects("create_invoice").length === 1);
 * expect(log.arrivals()).toHaveLength(2);
 */
export interface EffectLog {
  readonly file: string;
  entries(): readonly LogEntry[];
  /** Calls received, in order; number n is at index n - 1 when no tool is named. */
  arrivals(tool?: string): readonly Arrival[];
  effects(tool?: string): readonly Effect[];
  reads(tool?: string): readonly Read[];
  cancels(): readonly Cancel[];
  append(entry: LogEntry): void;
  /** Resolves once `predicate` holds; rejects after `timeout` (10000 ms) and shows the log. */
  waitFor(predicate: (log: EffectLog) => boolean, timeout?: number): Promise<void>;
}

/**
 * Opens an effect log for reading and appending. Several processes may hold the same file.
 *
 * @example
 * const log = openEffectLog(join(directory, "effects.jsonl"));
 */
export function openEffectLog(file: string): EffectLog {
  const known: LogEntry[] = [];
  let offset = 0;
  let rest = Buffer.alloc(0);

  function entries(): readonly LogEntry[] {
    const fresh = readFrom(file, offset);
    if (fresh.length === 0) return known;
    offset += fresh.length;
    rest = Buffer.concat([rest, fresh]);
    const end = rest.lastIndexOf("\n") + 1;
    const lines = rest.subarray(0, end).toString("utf8").split("\n");
    rest = rest.subarray(end);
    for (const line of lines) if (line !== "") known.push(JSON.parse(line) as LogEntry);
    return known;
  }

  const log: EffectLog = {
    file,
    entries,
    arrivals: (tool) =>
      entries()
        .filter((entry) => entry.kind === "arrival")
        .filter(ofTool(tool)),
    effects: (tool) =>
      entries()
        .filter((entry) => entry.kind === "effect")
        .filter(ofTool(tool)),
    reads: (tool) =>
      entries()
        .filter((entry) => entry.kind === "read")
        .filter(ofTool(tool)),
    cancels: () => entries().filter((entry) => entry.kind === "cancel"),
    append: (entry) => appendLine(file, entry),
    waitFor: (predicate, timeout = 10_000) => poll(log, predicate, timeout),
  };
  return log;
}

function ofTool(tool: string | undefined): (entry: { readonly tool: string }) => boolean {
  return (entry) => tool === undefined || entry.tool === tool;
}

function readFrom(file: string, offset: number): Buffer {
  if (!existsSync(file)) return Buffer.alloc(0);
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(Math.max(0, fstatSync(handle).size - offset));
    const length = readSync(handle, buffer, 0, buffer.length, offset);
    return buffer.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

/** One write per line keeps lines of several processes apart; an effect is on disk before anybody hears of it. */
function appendLine(file: string, entry: LogEntry): void {
  const handle = openSync(file, "a");
  try {
    writeSync(handle, `${JSON.stringify(entry)}\n`);
    if (entry.kind === "effect") fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

async function poll(log: EffectLog, predicate: (log: EffectLog) => boolean, timeout: number): Promise<void> {
  const deadline = Date.now() + timeout;
  while (!predicate(log)) {
    if (Date.now() > deadline) {
      const lines = log.entries().map((entry) => JSON.stringify(entry));
      throw new Error(`The effect log did not get there within ${timeout} ms. It says:\n${lines.join("\n")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
