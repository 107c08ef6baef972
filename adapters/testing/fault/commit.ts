import { applyUnique, type DestinationOptions, judgeKey, keyOf } from "./destination.ts";
import type { Arrival, EffectLog } from "./effect-log.ts";
import type { JsonObject } from "./json.ts";
import type { Commit } from "./script.ts";
import type { WriteTool } from "./tools.ts";

/** What came of the write; `nothing` still has a reference, for replies that lie. */
export type Committed =
  | { readonly kind: "applied" | "replayed" | "nothing"; readonly reference: string }
  | { readonly kind: "refused"; readonly reason: string };

/** One call on its way to the destination. */
export interface PendingWrite {
  readonly tool: WriteTool;
  readonly arrival: Arrival;
  /** The arrival's number, from 1. */
  readonly number: number;
  readonly status?: string;
  /** Aborted when the call is taken back and its step says `cancel: "stop"`, or when the server closes. */
  readonly signal: AbortSignal;
}

/** Performs writes; remembers which keys are in flight. */
export interface Committer {
  commit(write: PendingWrite, commit: Commit, options: DestinationOptions): Promise<Committed>;
  /** Resolves when no commit is ahead any more. */
  idle(): Promise<void>;
}

export function createCommitter(log: EffectLog): Committer {
  const inFlight = new Map<string, Promise<Committed>>();
  const ahead = new Set<Promise<Committed>>();

  async function commit(write: PendingWrite, kind: Commit, options: DestinationOptions): Promise<Committed> {
    if (kind === "none" || kind === "before_accept_fails") return { kind: "nothing", reference: referenceOf(write) };
    const key = keyOf(options, write.arrival);
    const overlap = options.nativeKey?.overlap ?? "reject";
    const running = key === undefined || overlap === "race" ? undefined : inFlight.get(slot(write, key));
    if (running !== undefined) return overlap === "join" ? joined(await running) : IN_FLIGHT;

    const verdict = judgeKey(log, options, write.arrival);
    if (verdict.kind === "refuse") return { kind: "refused", reason: verdict.reason };
    if (verdict.kind === "replay") return { kind: "replayed", reference: verdict.reference };
    const naming = applyUnique(log, options, write.arrival);
    if ("clashesWith" in naming) return { kind: "refused", reason: `Already exists: ${naming.clashesWith}` };

    const committed: Committed = { kind: "applied", reference: referenceOf(write) };
    const done = perform(write, kind, naming.arguments, key).then(() => committed);
    ahead.add(done);
    void done.finally(() => ahead.delete(done));
    if (key === undefined) return committed;
    inFlight.set(slot(write, key), done);
    void done.finally(() => inFlight.delete(slot(write, key)));
    return committed;
  }

  async function perform(write: PendingWrite, kind: Commit, args: JsonObject, key: string | undefined): Promise<void> {
    if (typeof kind === "object" && "late" in kind && !(await elapsed(kind.late, write.signal))) return;
    for (const [index, part] of partsOf(write.tool, kind, args).entries()) {
      log.append({
        kind: "effect",
        at: Date.now(),
        tool: write.tool.name,
        arguments: part.arguments,
        reference: index === 0 ? referenceOf(write) : `${referenceOf(write)}_${index + 1}`,
        complete: part.complete,
        arrival: write.number,
        requestId: write.arrival.requestId,
        ...(key === undefined ? {} : { key }),
        ...(write.arrival.keyHeader === undefined ? {} : { keyHeader: write.arrival.keyHeader }),
        ...(write.status === undefined ? {} : { status: write.status }),
      });
    }
  }

  async function idle(): Promise<void> {
    await Promise.all(ahead);
  }

  return { commit, idle };
}

const IN_FLIGHT: Committed = { kind: "refused", reason: "A request with this idempotency key is in flight." };

function joined(first: Committed): Committed {
  return first.kind === "refused" ? first : { kind: "replayed", reference: first.reference };
}

function slot({ tool }: PendingWrite, key: string): string {
  return `${tool.name} ${key}`;
}

function referenceOf({ tool, number }: PendingWrite): string {
  return `${tool.idPrefix ?? tool.name}_${number}`;
}

interface Part {
  readonly arguments: JsonObject;
  readonly complete: boolean;
}

/** The effects of one call: one per item of a bulk call, n for `times`, a torn one for `partial`. */
function partsOf(tool: WriteTool, kind: Commit, args: JsonObject): Part[] {
  const limit = typeof kind === "object" && "partial" in kind ? kind.partial : Number.POSITIVE_INFINITY;
  const items = tool.bulk === undefined ? undefined : args[tool.bulk];
  if (tool.bulk !== undefined && Array.isArray(items)) {
    const field = tool.bulk;
    return items.slice(0, limit).map((item) => ({ arguments: { ...args, [field]: [item] }, complete: true }));
  }
  const kept = Object.entries(args).slice(0, limit);
  const part = { arguments: Object.fromEntries(kept), complete: kept.length === Object.keys(args).length };
  const times = typeof kind === "object" && "times" in kind ? kind.times : 1;
  return Array.from({ length: times }, () => part);
}

/** True after so many ms, false as soon as the signal aborts. */
export function elapsed(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const abort = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve(true);
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
  });
}
