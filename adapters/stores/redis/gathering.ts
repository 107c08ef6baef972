/**
 * Requests on their way: those of one group and one turn of the event loop go in one script, each judged for itself. A
 * script for each would cost both sides more than its work.
 */
import type { Answer } from "./codec.ts";
import type { Connection } from "./connection.ts";
import type { GroupState } from "./groups.ts";
import { inTime, replicated } from "./sending.ts";

/** Calls are not kept waiting behind a script longer than this. */
const MOST = 32;
/** In characters. */
const HEAVY = 64 * 1024;

/** How requests of one kind travel. */
export interface Travel<Item, Reply> {
  /** In characters; `Infinity`: only by itself. */
  weightOf(item: Item): number;
  /** Sends all in one script. @param notAfter is read when the script leaves */
  send(state: GroupState, items: readonly Item[], notAfter: () => number): Promise<Answer>;
  /** What the answer says of the item at `index`; `undefined`: it has to be sent by itself. */
  replyOf(state: GroupState, item: Item, answer: Answer, index: number): Reply | undefined;
  isWritten(reply: Reply): boolean;
}

interface Request {
  readonly within: number;
}

interface Waiting<Item, Reply> {
  readonly item: Item;
  readonly called: number;
  readonly within: number;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** @returns sends an item together with the others of this turn. `called` and `within` say until when it may arrive */
export function gathering<Item, Reply>(connection: Connection, travel: Travel<Item, Reply>) {
  const gathered = new Map<GroupState, Waiting<Item, Reply>[]>();

  function add(state: GroupState, waiting: Waiting<Item, Reply>): void {
    const others = gathered.get(state);
    if (others) {
      others.push(waiting);
      return;
    }
    gathered.set(state, [waiting]);
    process.nextTick(leave, state);
  }

  function leave(state: GroupState): void {
    const all = gathered.get(state) ?? [];
    gathered.delete(state);
    for (const batch of batchesOf(all)) send(state, batch);
  }

  function batchesOf(all: readonly Waiting<Item, Reply>[]): Waiting<Item, Reply>[][] {
    const batches: Waiting<Item, Reply>[][] = [];
    let open: Waiting<Item, Reply>[] = [];
    let weight = Number.POSITIVE_INFINITY;
    for (const waiting of all) {
      const own = travel.weightOf(waiting.item);
      if (open.length === MOST || weight + own > HEAVY) {
        open = [];
        weight = 0;
        batches.push(open);
      }
      open.push(waiting);
      weight += own;
    }
    return batches;
  }

  async function send(state: GroupState, batch: readonly Waiting<Item, Reply>[]): Promise<void> {
    try {
      const answer = await ask(state, batch);
      if (answer.kind === "late" && batch.length > 1) for (const waiting of batch) send(state, [waiting]);
      else await tell(state, batch, answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function tell(state: GroupState, batch: readonly Waiting<Item, Reply>[], answer: Answer): Promise<void> {
    const written: (readonly [Waiting<Item, Reply>, Reply])[] = [];
    for (const [index, waiting] of batch.entries()) {
      const reply = travel.replyOf(state, waiting.item, answer, index);
      if (reply === undefined) send(state, [waiting]);
      else if (travel.isWritten(reply)) written.push([waiting, reply]);
      else waiting.resolve(reply);
    }
    if (written.length === 0) return;
    try {
      await replicated(connection);
      for (const [{ resolve }, reply] of written) resolve(reply);
    } catch (error) {
      for (const [{ reject }] of written) reject(error);
    }
  }

  const ask = (state: GroupState, batch: readonly Waiting<Item, Reply>[]): Promise<Answer> => {
    const [{ called }] = batch as [Waiting<Item, Reply>];
    const within = Math.min(...batch.map((each) => each.within));
    const items = batch.map(({ item }) => item);
    return inTime(state, called, within, (notAfter) => travel.send(state, items, notAfter));
  };

  return (state: GroupState, item: Item, called: number, { within }: Request): Promise<Reply> =>
    new Promise((resolve, reject) => add(state, { item, called, within, resolve, reject }));
}
