/** Runs the trials of a card, one after the other, and counts effects through the tool's own look. */
import type { CardPorts, CardRequest, CardSend, CardVerdict, Trial, TrialName } from "./card-api.ts";
import { readPointer, withPointer } from "./core/pointer.ts";
import type { JsonObject, JsonValue, Observation, WireEvidence } from "./core/terms.ts";
import { placeKey } from "./placing.ts";
import type { ToolPolicy } from "./policy.ts";
import { freshBytes } from "./random.ts";

/** One wanted effect: fresh identity, fresh key. */
export interface Subject {
  readonly arguments: JsonObject;
  readonly operationId: string;
  readonly key: string;
}

export interface Bench {
  readonly request: CardRequest;
  readonly policy: ToolPolicy;
  readonly ports: CardPorts;
  /** The key that the guard would mint for this call. */
  keyOf(args: JsonObject, operationId: string): string;
  /** Looks at the destination. */
  look(args: JsonObject, operationId: string): Promise<Observation>;
  wait(ms: number): Promise<void>;
}

export async function runTrials(bench: Bench): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  for (const [name, run] of TRIALS) {
    bench.ports.progress?.(name);
    trials.push({ name, ...(await run(bench).catch((error: unknown) => broken(error))) });
  }
  return trials;
}

type Run = Omit<Trial, "name">;

const broken = (error: unknown): Run => ({
  did: "the trial itself broke",
  sends: 0,
  answers: [],
  expected: "",
  verdict: "inconclusive",
  why: error instanceof Error ? error.message.slice(0, 200) : "unknown",
});

const notTested = (did: string, why: string): Run => ({
  did,
  sends: 0,
  answers: [],
  expected: "",
  verdict: "not_tested",
  why,
});

/** Values of their own for each trial, so that no trial sees another's effect. */
export function freshSubject({ request, policy, keyOf }: Bench): Subject {
  const mark = freshBytes(4).toString("hex");
  const args = (policy.identityArgs ?? []).reduce<JsonObject>((made, at) => {
    const value = readPointer(made, at);
    return value === undefined ? made : withPointer(made, at, freshValue(value, mark));
  }, request.arguments);
  const operationId = `card-${mark}`;
  return { arguments: args, operationId, key: keyOf(args, operationId) };
}

/** A text keeps its ending, so that a file name stays one. */
function freshValue(value: JsonValue, mark: string): JsonValue {
  if (typeof value === "number") return value + Number.parseInt(mark.slice(0, 6), 16);
  if (typeof value !== "string") return value;
  const [, stem = value, ending = ""] = /^(.*?)(\.[A-Za-z0-9]{1,8})?$/s.exec(value) ?? [];
  return `${stem}-${mark}${ending}`;
}

function placed({ policy }: Bench, args: JsonObject, key: string): CardSend {
  const sent = placeKey(policy.keyPlace, policy.contract, () => key, args, { headers: true } as never);
  return sent ?? { arguments: args };
}

const answerWord = (evidence: WireEvidence): string => {
  if (evidence.kind === "result") return evidence.result.isError === true ? "tool error" : "result";
  if (evidence.kind === "rpc_error") return `error ${evidence.code}`;
  return evidence.kind === "http_status" ? `HTTP ${evidence.status}` : evidence.kind;
};
const isSuccess = (word: string): boolean => word === "result";

/** Undefined: the destination could not say. */
async function effects(bench: Bench, { arguments: args, operationId }: Subject): Promise<number | undefined> {
  const patience = [0, 200, 1_000];
  for (const pause of patience) {
    if (pause > 0) await bench.wait(pause);
    const seen = await bench.look(args, operationId);
    if (seen.kind === "applied") return seen.count ?? 1;
    if (seen.kind === "absent" && pause === patience.at(-1)) return 0;
  }
  return undefined;
}

async function send(bench: Bench, subject: Subject, times: number, key = subject.key): Promise<string[]> {
  const answers: string[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    answers.push(answerWord(await bench.ports.send(placed(bench, subject.arguments, key))));
  }
  return answers;
}

function judged(run: Omit<Run, "verdict" | "why" | "expected">, expected: number, why: string): Run {
  const { effects: seen } = run;
  const verdict: CardVerdict = seen === undefined ? "inconclusive" : seen === expected ? "passed" : "failed";
  const said = seen === undefined ? "the destination could not say" : `${seen} seen; ${why}`;
  return { ...run, expected: expected === 1 ? "1 effect" : `${expected} effects`, verdict, why: said };
}
const shown = (count: number | undefined) => (count === undefined ? {} : { effects: count });

async function once(bench: Bench): Promise<Run> {
  const subject = freshSubject(bench);
  const before = await effects(bench, subject);
  const answers = await send(bench, subject, 1);
  const count = await effects(bench, subject);
  const run = judged({ did: "one send", sends: 1, answers, ...shown(count) }, 1, "the look sees what one send makes");
  return before === 0
    ? run
    : {
        ...run,
        verdict: "inconclusive",
        why: "the effect is seen before the send: the look does not tell effects apart",
      };
}

async function repeat(bench: Bench): Promise<Run> {
  const subject = freshSubject(bench);
  const answers = await send(bench, subject, 2);
  const did = `the same call twice${bench.policy.keyPlace ? ", with the same key" : ""}`;
  return judged({ did, sends: 2, answers, ...shown(await effects(bench, subject)) }, 1, "a repeat must add nothing");
}

async function concurrent(bench: Bench): Promise<Run> {
  const { policy, request, ports } = bench;
  const sends = request.concurrent ?? 5;
  const did = `${sends} overlapping calls${policy.keyPlace ? " with the same key" : ""}`;
  if (policy.contract?.concurrent === "serial")
    return notTested(did, "the contract says `serial`: repeats never overlap");
  const subject = freshSubject(bench);
  const all = await Promise.all(
    Array.from({ length: sends }, () => ports.send(placed(bench, subject.arguments, subject.key))),
  );
  const answers = all.map(answerWord);
  const run = judged(
    { did, sends, answers, ...shown(await effects(bench, subject)) },
    1,
    "overlapping repeats must add nothing",
  );
  const joined = policy.contract?.concurrent === "joined" && !answers.every(isSuccess);
  return run.verdict === "passed" && joined
    ? { ...run, verdict: "failed", why: "the contract says `joined`, but not every repeat got a result" }
    : run;
}

/** The first text or number that is neither identity nor key, with another value. */
function changed({ policy, request }: Bench, args: JsonObject): JsonObject | undefined {
  const place = policy.keyPlace && "argument" in policy.keyPlace ? [policy.keyPlace.argument] : [];
  const kept = new Set([...(policy.identityArgs ?? []), ...place]);
  const at = leaves(request.arguments, "").find((pointer) => !kept.has(pointer));
  if (at === undefined) return undefined;
  const value = readPointer(args, at);
  return withPointer(args, at, typeof value === "number" ? value + 1 : `${String(value)} changed`);
}

function leaves(value: JsonValue, at: string): string[] {
  if (typeof value === "string" || typeof value === "number") return [at];
  if (typeof value !== "object" || value === null) return [];
  const step = (name: string) => `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return Object.entries(value).flatMap(([name, part]) => leaves(part as JsonValue, step(name)));
}

async function changedArguments(bench: Bench): Promise<Run> {
  const { policy, ports } = bench;
  const did = "the same key with another argument";
  if (policy.contract?.dedupes !== "key") return notTested(did, "no contract by key");
  const subject = freshSubject(bench);
  const other = changed(bench, subject.arguments);
  if (!other) return notTested(did, "every argument is part of the identity");
  const answers = await send(bench, subject, 1);
  answers.push(answerWord(await ports.send(placed(bench, other, subject.key))));
  const run = judged(
    { did, sends: 2, answers, ...shown(await effects(bench, subject)) },
    1,
    "the second call must not take effect",
  );
  const took = policy.contract.mismatch === "rejected" && isSuccess(answers[1] ?? "");
  return run.verdict === "passed" && took
    ? { ...run, verdict: "failed", why: "the contract says `rejected`, but the second call got a result" }
    : run;
}

const lost =
  (did: string, afterEffect: boolean) =>
  async (bench: Bench): Promise<Run> => {
    const subject = freshSubject(bench);
    const until = async () => (await bench.look(subject.arguments, subject.operationId)).kind === "applied";
    await bench.ports.lose(placed(bench, subject.arguments, subject.key), afterEffect ? until : undefined);
    const answers = ["lost", ...(await send(bench, subject, 1))];
    return judged(
      { did, sends: 2, answers, ...shown(await effects(bench, subject)) },
      1,
      "the repeat after the loss must add nothing",
    );
  };

async function afterWindow(bench: Bench): Promise<Run> {
  const did = "the same call again after the window";
  const window = bench.policy.contract?.window;
  if (window === undefined || window > (bench.request.waitForWindow ?? 0)) {
    return notTested(did, window === undefined ? "no contract" : "the window is too long to wait for");
  }
  const subject = freshSubject(bench);
  const answers = await send(bench, subject, 1);
  await bench.wait(window + 1_000);
  answers.push(...(await send(bench, subject, 1)));
  const count = await effects(bench, subject);
  return {
    did,
    sends: 2,
    answers,
    ...shown(count),
    expected: "anything",
    verdict: "observed",
    why: `${count ?? "unknown"} seen: the guard sends nothing that late`,
  };
}

/** What the tool makes of repeats by itself: the publisher's claim to be idempotent is about this. */
async function withoutKey(bench: Bench): Promise<Run> {
  const subject = freshSubject(bench);
  const answers: string[] = [];
  for (let turn = 0; turn < 2; turn += 1)
    answers.push(answerWord(await bench.ports.send({ arguments: subject.arguments })));
  const count = await effects(bench, subject);
  return {
    did: "the same call twice, without a key",
    sends: 2,
    answers,
    ...shown(count),
    expected: "anything",
    verdict: "observed",
    why: `${count ?? "unknown"} seen`,
  };
}

/** Shows that the test can fail: what must be two effects is seen as two, what must be another state is seen as another. */
async function control(bench: Bench): Promise<Run> {
  const { policy, ports } = bench;
  if (policy.contract?.dedupes !== "arguments") return controlByKey(bench);
  const subject = freshSubject(bench);
  const other = changed(bench, subject.arguments);
  const answers = await send(bench, subject, 1);
  if (other) answers.push(answerWord(await ports.send({ arguments: other })));
  const count = await effects(bench, subject);
  const did = "another argument on the same resource";
  const run = judged(
    { did, sends: answers.length, answers, ...shown(count) },
    0,
    "what is no longer there is seen as gone",
  );
  return run.verdict === "failed" ? anotherResource(bench, run) : run;
}

/** Where a resource stays as it was first made, no two effects on it can be had: the look must at least tell resources apart. */
async function anotherResource(bench: Bench, before: Run): Promise<Run> {
  const second = freshSubject(bench);
  const missing = await effects(bench, second);
  const answers = [...before.answers, ...(await send(bench, second, 1))];
  const there = await effects(bench, second);
  const told = missing === 0 && there === 1;
  return {
    did: `${before.did}, then another resource`,
    sends: answers.length,
    answers,
    ...shown(there),
    expected: "0 before, 1 after",
    verdict: told ? "passed" : "inconclusive",
    why: told
      ? "resources are told apart; the destination keeps what was first made, so that two effects on one would be seen is not shown"
      : "the look does not tell resources apart",
  };
}

/** A look by our key sees each effect under its own key, any other look sees both at once. */
async function controlByKey(bench: Bench): Promise<Run> {
  const first = freshSubject(bench);
  const operationId = `${first.operationId}-other`;
  const other = { ...first, operationId, key: bench.keyOf(first.arguments, operationId) };
  const answers = await send(bench, first, 1);
  await effects(bench, first);
  const seesBoth = (await bench.look(other.arguments, operationId)).kind === "applied";
  answers.push(...(await send(bench, other, 1)));
  const [one, two] = [await effects(bench, first), seesBoth ? 0 : await effects(bench, other)];
  const total = one === undefined || two === undefined ? undefined : one + two;
  const did = `the same call twice${bench.policy.keyPlace ? ", with two different keys" : ""}`;
  const run = judged({ did, sends: 2, answers, ...shown(total) }, 2, "two effects must be seen as two");
  return run.verdict === "failed" ? { ...run, verdict: "inconclusive" } : run;
}

async function withoutRight(bench: Bench): Promise<Run> {
  const did = "one send with a sign-in that may not write";
  if (!bench.ports.denied) return notTested(did, "no such sign-in was given");
  const subject = freshSubject(bench);
  const answers = [answerWord(await bench.ports.denied(placed(bench, subject.arguments, subject.key)))];
  const run = judged(
    { did, sends: 1, answers, ...shown(await effects(bench, subject)) },
    0,
    "without the right nothing may happen",
  );
  return isSuccess(answers[0] ?? "")
    ? { ...run, verdict: "failed", why: "a sign-in without the right got a result" }
    : run;
}

const TRIALS: readonly (readonly [TrialName, (bench: Bench) => Promise<Run>])[] = [
  ["once", once],
  ["control", control],
  ["repeat", repeat],
  ["changed_arguments", changedArguments],
  ["concurrent", concurrent],
  ["lost_at_once", lost("the answer lost at once, then a repeat", false)],
  ["lost_after_effect", lost("the answer lost after the effect was there, then a repeat", true)],
  ["after_window", afterWindow],
  ["without_key", withoutKey],
  ["without_right", withoutRight],
];
