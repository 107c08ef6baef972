/**
 * The groups that this process knows, and the marks by which a loss is noticed. A group is opened once per process: its
 * marks are checked or written first and the registry second, so a registered group always had marks, and marks that
 * are gone mean a loss.
 */
import { randomBytes } from "node:crypto";
import type { Group } from "../../../src/entries/store.ts";
import { IndoubtError } from "../../../src/index.ts";
import type { Client } from "./client.ts";
import { type Answer, readAnswer } from "./codec.ts";
import type { Connection, Session } from "./connection.ts";
import { type ControlKeys, controlKeys, type GroupKeys, groupKeys, readNames, writeNames } from "./keys.ts";
import { learnMarks, type Marks, unknownMarks } from "./marks.ts";
import { type RunScript, touchScript } from "./scripts.gen.ts";
import { type StoreClock, storeClock } from "./store-clock.ts";

export interface GroupState {
  readonly group: Group;
  readonly keys: GroupKeys;
  readonly clock: StoreClock;
  readonly marks: Marks;
  opening?: Promise<void>;
  touching?: Promise<void>;
  opened: boolean;
}

/** What the scripts of a group are told about its marks. */
export interface MarkArgs {
  readonly known: string;
  readonly minHw: number;
  readonly ask: boolean;
}

export interface Groups {
  readonly control: ControlKeys;
  /** Checks the control slot and loads the registry. */
  start(): Promise<void>;
  state(group: Group): GroupState;
  /** Before the first write of this process in a group. */
  open(state: GroupState): Promise<void>;
  /** Groups in the order of their tags; reads the registry again when it has grown. */
  all(): Promise<readonly GroupState[]>;
  byTag(tag: string): GroupState | undefined;
  /** Sends a script that checks the marks, and again after a touch while it finds others. */
  ask(state: GroupState, send: (run: RunScript, marks: MarkArgs) => Promise<unknown>): Promise<Answer>;
  /** Runs when the control slot had to be written anew. */
  onReborn(restore: () => Promise<void>): void;
}

/** Marks change when a loss is noticed, a tool suspended or a server restarted: never so often in one call. */
const MAX_TURNS = 20;
const CHANGED: readonly unknown[] = ["changed"];

export function createGroups(connection: Connection): Groups {
  const { namespace } = connection.settings;
  const control = controlKeys(namespace);
  const controlMarks = unknownMarks("");
  const fresh = randomBytes(6).toString("hex");
  const states = new Map<string, GroupState>();
  let restore = async (): Promise<void> => {};

  const runOn =
    (client: Client): RunScript =>
    (name, out) =>
      connection.script(client, name, out);

  async function touch(marks: Marks, keys: { marks: string; names: string }, who: string, lostAt: number) {
    let sent = 0;
    const reply = await connection.call("possible", (client, { runId, startedAt }) => {
      sent = performance.now();
      const known = { epoch: marks.epoch, minHw: marks.count, runId, started: startedAt };
      return touchScript(runOn(client), keys, { ...known, fresh, lostAt, who });
    });
    const [time, text] = reply as [number, string];
    learnMarks(marks, text);
    return { time, sent, received: performance.now() };
  }

  /** @param lostAt a loss seen in some group */
  async function touchControl(lostAt: number): Promise<void> {
    const before = controlMarks.epoch;
    await touch(controlMarks, control, "", lostAt);
    if (before !== "" && before !== controlMarks.epoch) await restore();
  }

  async function touchGroup(state: GroupState): Promise<void> {
    const { group, keys, marks, clock } = state;
    const before = marks.epoch;
    const { time, sent, received } = await touch(marks, keys, writeNames(group), controlMarks.loss);
    clock.learn(time, sent, received);
    const isReborn = before !== marks.epoch && state.opened;
    if (isReborn || marks.loss > controlMarks.loss) await announce(state);
  }

  /** In the registry, and a loss in the control slot: what one group lost, others may have lost, too. */
  async function announce({ group, marks }: GroupState): Promise<void> {
    const names = writeNames(group);
    const enter = connection.call("possible", (client) => client.hsetnx(control.groups, group.tag, names));
    await Promise.all([enter, touchControl(marks.loss)]);
  }

  async function openOnce(state: GroupState): Promise<void> {
    await touchGroup(state);
    await announce(state);
    if (controlMarks.loss > state.marks.loss) await touchGroup(state);
    state.opened = true;
  }

  async function ask(state: GroupState, send: (run: RunScript, marks: MarkArgs) => Promise<unknown>): Promise<Answer> {
    const { marks, clock } = state;
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      let sent = 0;
      let generation = 0;
      let loss = 0;
      const reply = await connection.call("possible", (client, { runId }: Session) => {
        sent = performance.now();
        generation = marks.generation;
        loss = marks.loss;
        if (marks.head === "" || (runId !== "" && runId !== marks.runId)) return Promise.resolve(CHANGED);
        return send(runOn(client), { known: marks.head, minHw: marks.count, ask: runId === "" });
      });
      const answer = readAnswer(reply, generation, loss);
      if (answer.kind !== "changed") {
        clock.learn(answer.time, sent, performance.now());
        if (answer.count > marks.count) marks.count = answer.count;
        return answer;
      }
      state.touching ??= touchGroup(state).finally(() => delete state.touching);
      await state.touching;
    }
    const text = `The marks of group "${state.group.tag}" keep changing. Check whether several servers answer under one address.`;
    throw new IndoubtError("STORE_UNAVAILABLE", text);
  }

  function add(group: Group, marks: Marks): GroupState {
    const clock = connection.clock ?? storeClock();
    const state: GroupState = { group, keys: groupKeys(namespace, group.tag), clock, marks, opened: false };
    states.set(group.tag, state);
    return state;
  }

  async function load(): Promise<void> {
    const entries = await connection.call("none", (client) => client.hgetall(control.groups));
    for (const [tag, names] of Object.entries(entries)) {
      if (!states.has(tag)) add(readNames(tag, names), unknownMarks("*"));
    }
  }

  return {
    control,
    ask,
    async start() {
      await touchControl(0);
      await load();
    },
    state: (group) => states.get(group.tag) ?? add(group, unknownMarks("")),
    async open(state) {
      state.opening ??= openOnce(state).finally(() => delete state.opening);
      await state.opening;
    },
    byTag: (tag) => states.get(tag),
    async all() {
      const count = await connection.call("none", (client) => client.hlen(control.groups));
      if (count !== states.size) await load();
      return [...states.values()].sort((one, other) => (one.group.tag < other.group.tag ? -1 : 1));
    },
    onReborn(run) {
      restore = run;
    },
  };
}
