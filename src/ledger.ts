/**
 * The records of operations, as this process sees and moves them. Every move is decided by the pure machine on a version
 * that was read, and written by compare-and-set; a lost race is decided again with what won.
 */
import pRetry from "p-retry";
import { ackOf, changeOf, historyLine, storedArguments, tell } from "./changes.ts";
import { defined } from "./core/fields.ts";
import type { Keyring } from "./core/identity.ts";
import { evolve } from "./core/lifecycle.ts";
import type { Birth, LifecycleEvent } from "./core/lifecycle-events.ts";
import { ageOf, isStillDriven, lossToWrite, seenSinceLoss } from "./core/loss.ts";
import { doubtEntry, identityEntry, legEntry, placementOf, questionEntry, threadEntry } from "./core/placement.ts";
import type { RecordDraft } from "./core/record.ts";
import { decodeRecord, encodeRecord, stampRecord } from "./core/record-text.ts";
import type { Instant, State } from "./core/terms.ts";
import type { Transition } from "./core/transitions.ts";
import { IndoubtError, isStoreGone, leavesOpen } from "./errors.ts";
import { type PreparedCall, visitOf } from "./intake.ts";
import { adoptedLine } from "./notable.ts";
import type { MoveOptions, Operation } from "./operation.ts";
import { sealPayloadText } from "./payload.ts";
import type { BeginReply, BeginRequest, Change, StoredRecord, SwapRequest } from "./ports.ts";
import { rides } from "./rides.ts";
import { newToken, type Runtime } from "./runtime.ts";

export type Moved =
  | { readonly kind: "moved"; readonly row: Transition; readonly from: State }
  /** The machine does not allow it in the state that was found. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "gone" };

export type Begun =
  | { readonly kind: "created"; readonly operation: Operation; readonly generation: number }
  | {
      readonly kind: "met";
      readonly relation: "same" | "other";
      readonly operation: Operation;
      readonly generation: number;
      readonly sameDigest: boolean;
    }
  | { readonly kind: "mismatch"; readonly operation: Operation }
  | { readonly kind: "suspect"; readonly because: "store_loss" | "intent_too_old" };

export interface Ledger {
  begin(call: PreparedCall, event: BirthEvent, options?: { ignoreHolds?: boolean }): Promise<Begun>;
  move(operation: Operation, event: LifecycleEvent, options?: MoveOptions): Promise<Moved>;
  load(id: string): Promise<{ operation?: Operation; now: Instant; generation: number }>;
  handle(stored: StoredRecord): Operation;
  /** The caller has the outcome: rides on the next `begin` of its group, or goes out when the group is idle. */
  deliver(operation: Operation): void;
  /** Everything that still waits for a ride. */
  flush(): Promise<void>;
}

type BirthEvent = Extract<LifecycleEvent, { type: "issue" | "submit" | "adopt" }>;

export function ledger(runtime: Runtime): Ledger {
  const { store, settings } = runtime;
  const { wait: deliver, take, flush } = rides(runtime.clock, deliverAlone);

  /** When it fails for good, the error says whether any of the tries may have written. */
  async function steady<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!isStoreGone(error)) throw error;
      let unclear = leavesOpen(error) ? error : undefined;
      const again = () =>
        write().catch((failure: unknown) => {
          if (leavesOpen(failure)) unclear = failure;
          throw failure;
        });
      return pRetry(again, {
        retries: 1_000,
        factor: 1.5,
        minTimeout: 20,
        maxTimeout: 500,
        maxRetryTime: settings.storeTimeout,
        shouldRetry: ({ error: cause }) => isStoreGone(cause),
      }).catch((last: unknown) => {
        throw isStoreGone(last) ? (unclear ?? last) : last;
      });
    }
  }

  function handle(stored: StoredRecord): Operation {
    const { record, written } = seenSinceLoss(stored, decodeRecord(stored.body, stored.at));
    return {
      id: stored.id,
      group: stored.group,
      digest: stored.digest,
      version: stored.version,
      record,
      ...(stored.payload !== undefined && { payload: stored.payload }),
      lossAt: stored.lossAt,
      written,
      askedAt: undefined,
      queue: Promise.resolve(),
    };
  }

  async function begin(call: PreparedCall, event: BirthEvent, options: { ignoreHolds?: boolean } = {}): Promise<Begun> {
    const keys = runtime.keys();
    const made = evolve(undefined, event, runtime.storeNow());
    if (made.kind === "refused") throw new IndoubtError("CONFIG_INVALID", made.why);
    const place = placementOf(made.record, runtime.storeNow());
    const riders = take(call.group);
    const body = encodeRecord(made.record);
    const isAdopted = event.type === "adopt";
    const request = defined<BeginRequest>({
      group: call.group,
      id: call.id,
      digest: call.digest,
      token: event.type === "issue" ? event.token : newToken(),
      body,
      payload: sealPayloadText(keys, call.id, storedArguments(call)),
      holds: place.holds,
      blockedBy: options.ignoreHolds ? [] : blockers(keys, call),
      acks: riders.flatMap((operation) => ackOf(runtime, operation)),
      due: place.due,
      adopting: isAdopted || undefined,
      history: isAdopted
        ? [historyLine(event.type, undefined, { to: "uncertain", v: 1, reason: event.reason })]
        : undefined,
      journal: isAdopted ? [adoptedLine(event.reason)] : undefined,
      within: settings.storeTimeout,
      ...ageOf(call, Math.min(settings.maxIntentAge, call.policy.limits.retention), store.clockSkew),
    });
    const askedAt = runtime.clock.monotonic();
    const reply = await steady(() => store.begin(request)).catch((error: unknown) => {
      for (const operation of riders) deliver(operation);
      throw error;
    });
    // Any other answer comes before the store looks at the deliveries: they wait for the next ride.
    if (reply.kind !== "created" && reply.kind !== "held") for (const operation of riders) deliver(operation);
    runtime.heard(reply.now);
    return begunOf(call, request, made.record, reply, askedAt);
  }

  function begunOf(
    call: PreparedCall,
    request: BeginRequest,
    made: RecordDraft,
    reply: BeginReply,
    askedAt: number,
  ): Begun {
    switch (reply.kind) {
      case "created": {
        const { id, group, digest, payload } = request;
        const record = stampRecord(made, reply.now);
        const operation: Operation = {
          id,
          group,
          digest,
          version: 1,
          record,
          lossAt: reply.lossAt,
          written: undefined,
          askedAt,
          queue: Promise.resolve(),
        };
        if (payload !== undefined) operation.payload = payload;
        return { kind: "created", operation, generation: reply.generation };
      }
      case "exists":
      case "held": {
        const operation = handle(reply.record);
        const relation = reply.kind === "exists" ? "same" : "other";
        const sameDigest = operation.digest === call.digest;
        return { kind: "met", relation, operation, generation: reply.generation, sameDigest };
      }
      case "mismatch":
        return { kind: "mismatch", operation: handle(reply.record) };
      case "suspect":
        return { kind: "suspect", because: reply.because };
      case "late":
        throw new IndoubtError(
          "STORE_UNAVAILABLE",
          "The store answered after the request's time; nothing was written.",
          { effect: "possible" }, // of an earlier try nothing is known
        );
    }
  }

  const move: Ledger["move"] = (operation, event, options = {}) => {
    const next = operation.queue.then(() => moveNow(operation, event, options));
    operation.queue = next.catch(() => {});
    return next;
  };

  async function moveNow(operation: Operation, event: LifecycleEvent, options: MoveOptions): Promise<Moved> {
    let { expect } = options;
    for (;;) {
      if (expect !== undefined && operation.version !== expect) {
        return { kind: "refused", why: "another version is there" };
      }
      const loss = lossToWrite(operation);
      if (event.type === "store_loss" && !loss) return { kind: "refused", why: "it was written after the loss" };
      const refused = loss && event.type !== "store_loss" && evolve(operation.record, event, runtime.storeNow());
      if (refused && refused.kind === "refused") return refused;
      const moved = await write(operation, loss ?? event, loss ? {} : options);
      if (moved === "again") continue;
      if (!loss || event.type === "store_loss" || moved.kind !== "moved") return moved;
      if (expect !== undefined) expect = operation.version;
    }
  }

  /** `again`: another version is there, and the handle has it now. */
  async function write(operation: Operation, event: LifecycleEvent, options: MoveOptions): Promise<Moved | "again"> {
    const from = operation.written ? { ...operation, record: operation.written } : operation;
    const before = from.record;
    const moved = evolve(before, event, runtime.storeNow());
    if (moved.kind === "refused") return moved;
    const change = changeOf(runtime, from, moved.record, moved.row, event, options);
    const { notAfter, ifGeneration } = options;
    const bounds = { group: operation.group, within: settings.storeTimeout, notAfter, ifGeneration };
    const request = Object.assign(change, defined<Omit<SwapRequest, keyof Change>>(bounds));
    const askedAt = runtime.clock.monotonic();
    let tries = 0;
    const reply = await steady(() => {
      tries += 1;
      return store.swap(request);
    });
    runtime.heard(reply.now);
    switch (reply.kind) {
      case "swapped":
        operation.version = reply.version;
        operation.record = stampRecord(moved.record, reply.now);
        operation.written = undefined;
        operation.askedAt = askedAt;
        if (change.payload === null) delete operation.payload;
        else if (change.payload !== undefined) operation.payload = change.payload;
        tell(runtime, operation, moved.row, before);
        return { kind: "moved", row: moved.row, from: before.state };
      case "gone":
        return { kind: "gone" };
      case "late":
        return { kind: "refused", why: "its time was over at the store" };
      case "generation_changed":
        return { kind: "refused", why: "a suspension came in between" };
      case "stale":
        seeAgain(operation, handle(reply.record), event, tries === 1);
        return "again";
    }
  }

  function seeAgain(operation: Operation, left: Operation, event: LifecycleEvent, first: boolean): void {
    const driven = isStillDriven(operation, left, event, { first, now: runtime.clock.monotonic() });
    const { askedAt, queue } = operation;
    Object.assign(operation, left, driven ? { written: undefined, askedAt, queue } : { queue });
  }

  async function deliverAlone(operation: Operation): Promise<void> {
    try {
      await move(operation, { type: "deliver" });
    } catch (error) {
      const message = `A delivery was not recorded, so a repeat will be recalled: ${String(error)}`;
      runtime.events.emit("warning", { message });
    }
  }

  return {
    begin,
    move,
    async load(id) {
      const { now, generation, record } = await steady(() => store.read(id));
      runtime.heard(now);
      return { now, generation, ...(record && { operation: handle(record) }) };
    },
    handle,
    deliver,
    flush,
  };
}

/** Calls with an operation id of their own are held only while the other is in doubt. */
function blockers(keys: Keyring, call: PreparedCall): string[] {
  const { fingerprint, thread, policy, rank, leg } = call;
  const entries: string[] = leg === undefined ? [] : [questionEntry(leg), legEntry(leg)];
  // No other entry would find it.
  if (leg === undefined && policy.perCall && rank !== 1) entries.push(questionEntry(visitOf(keys, call)));
  if (fingerprint !== undefined) entries.push(rank === 1 ? doubtEntry(fingerprint) : identityEntry(fingerprint));
  if (policy.holdThread && thread !== undefined) entries.push(threadEntry(thread));
  return entries;
}

export const birthOf = (call: PreparedCall, keyId: string): Birth =>
  defined<Birth>({
    limits: call.policy.limits,
    keyId,
    issuedAt: call.issuedAt,
    fingerprint: call.fingerprint,
    thread: call.thread,
    principal: call.principal,
    holdThread: call.policy.holdThread || undefined,
    contract: call.policy.contract?.fingerprint,
    definition: call.definition,
    leg: call.leg,
  });
