/** `begin` and `swap`, step by step in the order that the port demands. The reference for every other store. */
import type { BeginReply, BeginRequest, Instant, SwapReply, SwapRequest } from "../../../src/entries/store.ts";
import {
  addLines,
  find,
  findOwner,
  generationOf,
  handedOut,
  instantOf,
  NEVER,
  replace,
  type State,
  stamp,
  write,
} from "./state.ts";

export function begin(state: State, request: BeginRequest, now: Instant): BeginReply {
  if (request.within < 0) return { kind: "late", now };
  const generation = generationOf(state, request.group);

  const existing = find(state, request.id, now);
  if (existing) {
    const record = handedOut(state, existing.record);
    const isRepeat = existing.token === request.token && record.version === 1;
    if (isRepeat) return createdAt(state, record.at, generation);
    if (record.digest !== request.digest) return { kind: "mismatch", now, record };
    return { kind: "exists", now, generation, record };
  }

  for (const ack of request.acks) {
    const earlier = find(state, ack.id, now);
    const fits = earlier?.record.version === ack.expect && ack.lossAt === state.lossAt;
    if (fits && earlier.record.group.tag === request.group.tag) replace(state, earlier, ack, now);
  }

  const held = findOwner(state, request.group, request.blockedBy, now);
  if (held) return { kind: "held", now, generation, ...held };

  const { issuedAt } = request;
  if (issuedAt !== undefined && !request.adopting) {
    if (issuedAt <= (state.lossAt ?? -1)) return { kind: "suspect", now, because: "store_loss" };
    if (now - issuedAt > request.maxAge) return { kind: "suspect", now, because: "intent_too_old" };
  }

  create(state, request, now);
  return createdAt(state, now, generation);
}

const createdAt = ({ lossAt }: State, now: Instant, generation: number): BeginReply =>
  lossAt === undefined ? { kind: "created", now, generation } : { kind: "created", now, generation, lossAt };

function create(state: State, request: BeginRequest, now: Instant): void {
  const { id, group, digest, body, payload, due } = request;
  const record = { id, group, version: 1, at: now, digest, body };
  state.births += 1;
  addLines(state, group, id, request.journal, now);
  write(state, id, {
    record: payload === undefined ? record : { ...record, payload },
    token: request.token,
    born: state.births,
    due: due === null ? null : instantOf(due, now),
    attention: request.attention ?? false,
    since: now,
    holds: new Set(request.holds),
    history: stamp(request.history, now),
    expiresAt: NEVER,
    payloadExpiresAt: NEVER,
  });
}

export function swap(state: State, request: SwapRequest, now: Instant): SwapReply {
  if (request.within < 0) return { kind: "late", now };

  const entry = find(state, request.id, now);
  if (!entry) return { kind: "gone", now };

  const record = handedOut(state, entry.record);
  // After a loss a version may be given a second time: the number alone says nothing.
  if (request.lossAt !== state.lossAt) return { kind: "stale", now, record };
  // The repeat of a write is answered as it was, whatever happened to the window or the generation since.
  const isRepeat = entry.token === request.token && record.version === request.expect + 1;
  if (isRepeat) return { kind: "swapped", now: record.at, version: record.version };
  if (record.version !== request.expect) return { kind: "stale", now, record };

  if (request.notAfter !== undefined && now > request.notAfter) return { kind: "late", now };
  const generation = generationOf(state, record.group);
  if (request.ifGeneration !== undefined && request.ifGeneration !== generation) {
    return { kind: "generation_changed", now, generation };
  }
  return { kind: "swapped", now, version: replace(state, entry, request, now) };
}
