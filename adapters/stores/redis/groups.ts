/**
 * What this process knows about groups: their names (the registry) and the marks by which a loss is noticed. A group is
 * opened once per process: its marks are checked or written first and the registry second, so a registered group always
 * had marks, and marks that are gone mean a loss.
 */
import type { Group } from "../../../src/index.ts";
import { type Answer, readAnswer } from "./codec.ts";
import type { Connection, Session } from "./connection.ts";
import { type ControlKeys, controlKeys, type GroupKeys, groupKeys, readNames, writeNames } from "./keys.ts";
import { type RunScript, registerScript, touchScript } from "./scripts.gen.ts";
import { type StoreClock, storeClock } from "./store-clock.ts";

/** What the scripts are told so that they can notice a loss. */
export interface Marks {
  epoch: string;
  hw: number;
  loss: number;
}

export interface GroupState extends Marks {
  readonly group: Group;
  readonly keys: GroupKeys;
  readonly clock: StoreClock;
  opening?: Promise<void>;
  opened: boolean;
}

export interface Groups {
  readonly control: ControlKeys;
  /** Checks the control slot and loads the registry. */
  start(): Promise<void>;
  state(group: Group): GroupState;
  /** Before the first write of this process in a group. */
  open(state: GroupState): Promise<void>;
  /** Groups by tag; reads the registry again when it has grown. */
  all(): Promise<readonly GroupState[]>;
  byTag(tag: string): GroupState | undefined;
  /** Sends a script and learns from its answer. */
  ask(
    state: GroupState,
    effect: "none" | "possible",
    send: (run: RunScript, marks: MarkArgs) => Promise<unknown>,
  ): Promise<Answer>;
  /** Runs when the control slot had to be written anew. */
  onReborn(restore: () => Promise<void>): void;
}

export interface MarkArgs {
  readonly epoch: string;
  readonly minHw: number;
  readonly server: string;
}

/** The group exists; its epoch is not known here. */
const SOME_EPOCH = "*";

const markArgs = (marks: Marks, session: Session): MarkArgs => ({
  epoch: marks.epoch,
  minHw: marks.hw,
  server: session.server,
});

/** @returns whether a loss was noticed that these marks did not know */
function learn(marks: Marks, answer: Answer): boolean {
  marks.hw = answer.epoch === marks.epoch ? Math.max(marks.hw, answer.hw) : answer.hw;
  marks.epoch = answer.epoch;
  const isNews = answer.loss > marks.loss;
  marks.loss = Math.max(marks.loss, answer.loss);
  return isNews;
}

export function createGroups(connection: Connection): Groups {
  const { namespace } = connection.settings;
  const control = controlKeys(namespace);
  const controlMarks: Marks = { epoch: "", hw: 0, loss: 0 };
  const states = new Map<string, GroupState>();
  let restore = async (): Promise<void> => {};

  function add(group: Group, epoch: string): GroupState {
    const keys = groupKeys(namespace, group.tag);
    const clock = connection.clock ?? storeClock();
    const state: GroupState = { group, keys, clock, epoch, hw: 0, loss: 0, opened: false };
    states.set(group.tag, state);
    return state;
  }

  async function register(tag: string, who: string, lostAt: number): Promise<void> {
    const before = controlMarks.epoch;
    const reply = await connection.call("possible", (client, session) => {
      const run: RunScript = (name, out) => connection.script(client, name, out);
      const args = { ...markArgs(controlMarks, session), tag, who, lostAt };
      return registerScript(run, { meta: control.meta, groups: control.groups }, args);
    });
    learn(controlMarks, readAnswer(reply));
    if (before !== "" && before !== controlMarks.epoch) await restore();
  }

  async function ask(
    state: GroupState,
    effect: "none" | "possible",
    send: (run: RunScript, marks: MarkArgs) => Promise<unknown>,
  ): Promise<Answer> {
    let sent = 0;
    const reply = await connection.call(effect, (client, session) => {
      sent = performance.now();
      return send((name, out) => connection.script(client, name, out), markArgs(state, session));
    });
    const answer = readAnswer(reply);
    state.clock.learn(answer.time, sent, performance.now());
    if (answer.kind === "late" || answer.kind === "read" || answer.kind === "list") return answer;
    const isKnown = state.opened;
    if (learn(state, answer) && isKnown) await register(state.group.tag, writeNames(state.group), state.loss);
    return answer;
  }

  async function touch(state: GroupState): Promise<void> {
    const who = writeNames(state.group);
    await ask(state, "possible", (run, marks) =>
      touchScript(run, { meta: state.keys.meta }, { ...marks, who, lostAt: controlMarks.loss }),
    );
  }

  async function openOnce(state: GroupState): Promise<void> {
    await touch(state);
    await register(state.group.tag, writeNames(state.group), state.loss);
    if (controlMarks.loss > state.loss) await touch(state);
    state.opened = true;
  }

  async function load(): Promise<void> {
    const entries = await connection.call("none", (client) => client.hgetall(control.groups));
    for (const [tag, names] of Object.entries(entries)) {
      if (!states.has(tag)) add(readNames(tag, names), SOME_EPOCH);
    }
  }

  return {
    control,
    ask,
    async start() {
      await register("", "", 0);
      await load();
    },
    state: (group) => states.get(group.tag) ?? add(group, ""),
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
