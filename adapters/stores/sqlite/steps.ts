/** `begin` and `swap`, step by step in the order that the port demands. A refusal writes nothing. */
import type { BeginReply, BeginRequest, Suspension, SwapReply, SwapRequest } from "../../../src/entries/store.ts";
import { findSuspension } from "./reading.ts";
import {
  addGroup,
  addHistory,
  addLines,
  find,
  findGroup,
  forget,
  foundOf,
  generationOf,
  instantOf,
  replace,
  withPayload,
} from "./records.ts";
import type { Transaction } from "./transaction.ts";

/** @param elapsed ms since the call of `begin` */
export function begin(transaction: Transaction, request: BeginRequest, elapsed: number): BeginReply {
  const { connection, now } = transaction;
  if (elapsed > request.within) return { kind: "late", now };
  const generation = generationOf(connection, request.group);

  const existing = find(connection, request.id, now);
  if (existing) {
    const { record, token } = existing;
    if (token === request.token && record.version === 1) return created(transaction, record.at, generation);
    const whole = withPayload(connection, existing, now);
    if (record.digest !== request.digest) return { kind: "mismatch", now, record: whole };
    return { kind: "exists", now, generation, record: whole };
  }

  for (const ack of request.acks) {
    const earlier = find(connection, ack.id, now);
    if (earlier?.record.group.tag !== request.group.tag || earlier.record.version !== ack.expect) continue;
    if (ack.lossAt !== earlier.record.lossAt) continue;
    transaction.wrote = true;
    replace(connection, earlier, ack, now);
  }

  const held = findOwner(transaction, request);
  if (held) return { kind: "held", now, generation, ...held };

  const because = request.adopting ? undefined : doubt(transaction, request);
  if (because) return { kind: "suspect", now, because };

  transaction.wrote = true;
  create(transaction, request);
  return created(transaction, now, generation);
}

const created = ({ lossAt }: Transaction, now: number, generation: number): BeginReply =>
  lossAt < 0 ? { kind: "created", now, generation } : { kind: "created", now, generation, lossAt };

function findOwner({ connection, now }: Transaction, { group, blockedBy }: BeginRequest) {
  const groupNumber = blockedBy.length > 0 ? findGroup(connection, group) : undefined;
  if (groupNumber === undefined) return undefined;
  for (const entry of blockedBy) {
    const row = connection.get("findOwner", { groupNumber, entry, now });
    if (row) return { entry, record: withPayload(connection, foundOf(connection, row), now) };
  }
  return undefined;
}

function doubt({ lossAt, now }: Transaction, { issuedAt, maxAge }: BeginRequest) {
  if (issuedAt === undefined) return undefined;
  if (issuedAt <= lossAt) return "store_loss" as const;
  return now - issuedAt > maxAge ? ("intent_too_old" as const) : undefined;
}

function create({ connection, now }: Transaction, request: BeginRequest): void {
  const { id, group, digest, token, body, due } = request;
  forgetExpired(connection, id);
  const groupNumber = findGroup(connection, group) ?? addGroup(connection, group);
  const born = connection.run("addRecord", {
    id,
    groupNumber,
    digest,
    token,
    body,
    at: now,
    due: due === null ? null : instantOf(due, now),
    attention: Number(request.attention ?? false),
  });
  if (request.payload !== undefined) connection.run("putPayload", { born, text: request.payload, expiresAt: null });
  for (const entry of request.holds) connection.run("addHold", { groupNumber, entry, born });
  addHistory(connection, born, 1, now, request.history);
  addLines(connection, groupNumber, id, now, request.journal);
}

/** What is still there under the id has expired: nobody got round to removing it. */
function forgetExpired(connection: Transaction["connection"], id: string): void {
  const row = connection.get("findRecord", { id });
  if (row) forget(connection, Number(row.born));
}

/** @param elapsed ms since the call of `swap` */
export function swap(transaction: Transaction, request: SwapRequest, elapsed: number): SwapReply {
  const { connection, now } = transaction;
  if (elapsed > request.within) return { kind: "late", now };

  const found = find(connection, request.id, now);
  if (!found) return { kind: "gone", now };

  const { record, token } = found;
  // After a loss a version may be given a second time: the number alone says nothing.
  const isUnder = request.lossAt === record.lossAt;
  // The repeat of a write is answered as it was, whatever happened to the window or the generation since.
  const isRepeat = token === request.token && record.version === request.expect + 1;
  if (isUnder && isRepeat) return { kind: "swapped", now: record.at, version: record.version };
  if (!isUnder || record.version !== request.expect) {
    return { kind: "stale", now, record: withPayload(connection, found, now) };
  }
  return allowed(transaction, request) ?? write(transaction, found, request);
}

function allowed({ connection, now }: Transaction, request: SwapRequest): SwapReply | undefined {
  if (request.notAfter !== undefined && now > request.notAfter) return { kind: "late", now };
  if (request.ifGeneration === undefined) return undefined;
  const generation = generationOf(connection, request.group);
  return request.ifGeneration === generation ? undefined : { kind: "generation_changed", now, generation };
}

function write(transaction: Transaction, found: Parameters<typeof replace>[1], request: SwapRequest): SwapReply {
  const { connection, now } = transaction;
  transaction.wrote = true;
  return { kind: "swapped", now, version: replace(connection, found, request, now) };
}

type Unstamped = Omit<Suspension, "at">;

/** The first suspension stays unless it is `instead`; only where none stood does the generation rise. */
export function suspend(transaction: Transaction, suspension: Unstamped, instead?: Unstamped): Suspension {
  const { connection, now } = transaction;
  const { server, tool, reason, actor, detail = null } = suspension;
  const before = findSuspension(connection, server, tool);
  if (before && !(instead && isSame(before, instead))) return before;
  transaction.wrote = true;
  connection.run("putSuspension", { server, tool, reason, actor, detail, at: now });
  if (!before) connection.run("raiseGeneration", { server, tool });
  return { ...suspension, at: now };
}

export function lift(transaction: Transaction, server: string, tool: string, only?: Unstamped): boolean {
  const stands = only && findSuspension(transaction.connection, server, tool);
  if (stands && !isSame(stands, only)) return false;
  transaction.wrote = true;
  transaction.connection.run("removeSuspension", { server, tool });
  return true;
}

const isSame = (one: Unstamped, other: Unstamped): boolean =>
  one.reason === other.reason && one.actor === other.actor && one.detail === other.detail;

/** Removes at most `limit` expired records and as many expired payloads; returns the larger of the two counts. */
export function clean(transaction: Transaction, limit: number): number {
  const { connection, now } = transaction;
  const expired = connection.all("findExpired", { now, limit });
  for (const { born } of expired) forget(connection, Number(born));
  const payloads = connection.all("findExpiredPayloads", { now, limit });
  for (const { born } of payloads) connection.run("removePayload", { born: Number(born) });
  if (expired.length + payloads.length > 0) transaction.wrote = true;
  return Math.max(expired.length, payloads.length);
}
