import type {
  BeginReply,
  BeginRequest,
  HistoryLine,
  Spool,
  Store,
  StoredRecord,
  StoreHealth,
} from "../../../src/entries/store.ts";
import { findDue, readOne } from "./browse.ts";
import { type Answer, readHistoryLine, readRecord, textAt, textOrNullAt, writeChange, writeIntent } from "./codec.ts";
import { type Connection, createConnection, type ScriptTexts } from "./connection.ts";
import { createControl } from "./control.ts";
import { closed, unavailable } from "./failures.ts";
import { createGroups, type GroupState, type Groups } from "./groups.ts";
import { groupAndRecordKeys, groupKeys, readNames, recordKeys, restOf, tagOf } from "./keys.ts";
import type { RedisStoreOptions } from "./options.ts";
import { journalPage, listPage } from "./pages.ts";
import { checkRights } from "./rights.ts";
import { beginScript, SCRIPTS, type ScriptChange } from "./scripts.gen.ts";
import { inTime, isUnder, replicated } from "./sending.ts";
import { refusalOf, warningsOf } from "./server-facts.ts";
import { createSwaps } from "./swaps.ts";

/** A {@link Store} on Redis. */
export interface RedisStore extends Store {
  readonly kind: "redis";
  readonly namespace: string;
  readonly spool: Spool;
  /**
   * Binds the namespace to the secret with this key id, once and for all processes.
   * @throws IndoubtError STORE_INCOMPATIBLE when it belongs to another key id
   */
  bindKey(keyId: string): Promise<void>;
}

/**
 * Keeps records in Redis (6.2 or newer, standalone, Sentinel or Cluster) or Valkey. It never evicts and never forgets
 * by itself; a server that could is refused when the store opens.
 * @throws IndoubtError CONFIG_INVALID for options it cannot use; `open()`: STORE_UNAVAILABLE, STORE_INCOMPATIBLE
 * @example
 * const store = redisStore({ url: process.env.REDIS_URL, namespace: "acme-agents", secret: process.env.INDOUBT_SECRET });
 */
export const redisStore = (options: RedisStoreOptions): RedisStore => redisStoreWith(options, SCRIPTS);

/** The store with other script texts: for tests that break them on purpose. */
export function redisStoreWith(options: RedisStoreOptions, scripts: ScriptTexts): RedisStore {
  const connection = createConnection(options, scripts);
  const { settings } = connection;
  const { secret } = settings;
  const groups = createGroups(connection);
  const control = createControl(connection, groups);
  const swap = createSwaps(connection, groups);
  let running = 0;
  let onIdle: (() => void) | undefined;
  let opening: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  /** Runs a call to its end, also when the store is closed meanwhile. */
  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (closing) throw closed();
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      if (running === 0) onIdle?.();
    }
  }

  async function close(): Promise<void> {
    connection.stopWaiting();
    if (running > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    connection.close();
  }

  async function open(): Promise<void> {
    await connection.open();
    await checkRights(connection);
    await control.checkLayout();
    await groups.start();
  }

  return {
    kind: "redis",
    namespace: settings.namespace,
    clockSkew: settings.clockSkew,
    spool: settings.spool,
    ...(secret && { secret: async () => secret }),
    open() {
      opening ??= run(open).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    begin: (request) => run(() => begin(connection, groups, request)),
    swap: (request) => run(() => swap(request)),
    read: (id) => run(() => read(connection, groups, id)),
    due: (limit) => run(() => findDue(connection, groups, limit)),
    list: (request) => run(() => listPage(connection, groups, request)),
    journal: (request) => run(() => journalPage(connection, groups, request)),
    history: (id) => run(() => history(connection, id)),
    suspend: (suspension, instead) => run(() => control.suspend(suspension, instead)),
    lift: (server, tool, only) => run(() => control.lift(server, tool, only)),
    suspensions: () => run(control.suspensions),
    bindKey: (keyId) => run(() => control.bindKey(keyId)),
    health: () => health(connection),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

async function read(connection: Connection, groups: Groups, id: string) {
  const tag = tagOf(id);
  const keys = groupKeys(connection.settings.namespace, tag);
  const { now, generation, loss, text, payload, who } = await readOne(connection, keys, recordKeys(keys, restOf(id)));
  if (text === null) return { now, generation };
  const unnamed = { tag, tenant: "", server: "", tool: "" };
  const group = groups.byTag(tag)?.group ?? (who === null ? unnamed : readNames(tag, who));
  return { now, generation, record: readRecord(group, restOf(id), text, payload, loss) };
}

async function history(connection: Connection, id: string): Promise<readonly HistoryLine[]> {
  const keys = recordKeys(groupKeys(connection.settings.namespace, tagOf(id)), restOf(id));
  const lines = await connection.call("none", (client) => client.lrange(keys.history, 0, -1));
  return lines.map(readHistoryLine);
}

const NO_ACKS: readonly ScriptChange[] = [];

const recordAt = ({ group }: GroupState, id: string, answer: Answer, index: number): StoredRecord =>
  readRecord(group, restOf(id), textAt(answer, index), textOrNullAt(answer, index + 1), answer.loss);

async function begin(connection: Connection, groups: Groups, request: BeginRequest): Promise<BeginReply> {
  const called = performance.now();
  const { group, id, issuedAt, maxAge, blockedBy } = request;
  const state = groups.state(group);
  const acks = request.acks.length === 0 ? NO_ACKS : request.acks.map((ack) => writeChange(group, ack));
  const intent = writeIntent(request);
  if (!state.opened) await groups.open(state);
  const keys = groupAndRecordKeys(state.keys, intent.id);
  const doubted = issuedAt !== undefined && !request.adopting;
  const answer = await inTime(state, called, request.within, (notAfter) =>
    groups.ask(state, (run, { known, minHw, ask }) => {
      const lost = doubted && issuedAt <= state.marks.loss;
      const goodUntil = doubted ? issuedAt + maxAge : -1;
      const fitting = acks.length === 0 ? acks : acks.filter((_, index) => isUnder(state, request.acks[index]));
      const marks = { known, minHw, ask, notAfter: notAfter(), lost, goodUntil, blockedBy, acks: fitting };
      return beginScript(run, keys, Object.assign(marks, intent));
    }),
  );
  if (answer.kind === "created") await replicated(connection);
  return beginReply(state, id, answer);
}

function beginReply(state: GroupState, id: string, answer: Answer): BeginReply {
  const { now, generation } = answer;
  switch (answer.kind) {
    case "created":
      if (answer.loss > 0) return { kind: "created", now, generation, lossAt: answer.loss };
      return { kind: "created", now, generation };
    case "exists":
      return { kind: "exists", now, generation, record: recordAt(state, id, answer, 0) };
    case "mismatch":
      return { kind: "mismatch", now, record: recordAt(state, id, answer, 0) };
    case "held": {
      const owner = `${state.group.tag}_${textAt(answer, 1)}`;
      return { kind: "held", now, generation, entry: textAt(answer, 0), record: recordAt(state, owner, answer, 2) };
    }
    case "late":
      return { kind: "late", now };
    default:
      return { kind: "suspect", now, because: textAt(answer, 0) as "store_loss" | "intent_too_old" };
  }
}

async function health(connection: Connection): Promise<StoreHealth> {
  try {
    const facts = await connection.inspect();
    const refusals = facts.map(refusalOf).filter((text) => text !== undefined);
    const warnings = [...new Set([...refusals, ...facts.flatMap(warningsOf)])];
    return { kind: "redis", ok: refusals.length === 0, warnings };
  } catch (error) {
    const { message } = unavailable(error, "none");
    return { kind: "redis", ok: false, warnings: [message] };
  }
}
