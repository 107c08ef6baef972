/** Runs the trials of a card, one after the other, and counts effects through the tool's own look. */
import type { Trial, TrialName } from "./card-api.ts";
import {
  answerWord,
  type Bench,
  broken,
  changed,
  effects,
  freshSubject,
  isSuccess,
  judged,
  judgedAgain,
  judgedTwice,
  notTested,
  placed,
  type Run,
  type Subject,
  send,
  shown,
  type Tried,
} from "./card-bench.ts";
import type { Contract } from "./core/contract.ts";
import { isProbe } from "./probe/probe.ts";

export async function runTrials(bench: Bench): Promise<readonly Trial[]> {
  const tried: [TrialName, Tried][] = [];
  for (const [name, run] of TRIALS) {
    bench.ports.progress?.(name);
    tried.push([name, await run(bench).catch((error: unknown) => broken(error))]);
  }
  const waited = `${bench.settle / 1_000} s`;
  bench.ports.progress?.(`wait ${waited}, then count again`);
  await bench.wait(bench.settle);
  const trials: Trial[] = [];
  for (const [name, each] of tried) trials.push({ name, ...(await judgedAgain(each, waited)) });
  return trials;
}

async function once(bench: Bench): Promise<Tried> {
  const subject = freshSubject(bench);
  const before = await effects(bench, subject);
  const answers = await send(bench, subject, 1);
  return judgedTwice(async () => {
    const count = await effects(bench, subject);
    const run = judged({ did: "one send", sends: 1, answers, ...shown(count) }, 1, "the look sees what one send makes");
    if (before === 0) return run;
    const why =
      before === undefined
        ? "before the send the destination could not say"
        : "the effect is seen before the send: the look does not tell effects apart";
    return { ...run, verdict: "inconclusive", why };
  });
}

async function repeat(bench: Bench): Promise<Tried> {
  const subject = freshSubject(bench);
  const answers = await send(bench, subject, 2);
  const did = `the same call twice${bench.policy.keyPlace ? ", with the same key" : ""}`;
  return judgedTwice(async () =>
    judged({ did, sends: 2, answers, ...shown(await effects(bench, subject)) }, 1, "a repeat must add nothing"),
  );
}

async function concurrent(bench: Bench): Promise<Tried> {
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
  const joined = policy.contract?.concurrent === "joined" && !answers.every(isSuccess);
  return judgedTwice(async () => {
    const count = await effects(bench, subject);
    const run = judged({ did, sends, answers, ...shown(count) }, 1, "overlapping repeats must add nothing");
    return run.verdict === "passed" && joined
      ? { ...run, verdict: "failed", why: "the contract says `joined`, but not every repeat got a result" }
      : run;
  });
}

async function changedArguments(bench: Bench): Promise<Tried> {
  const { policy, ports } = bench;
  const did = "the same key with another argument";
  if (policy.contract?.dedupes !== "key") return notTested(did, "no contract by key");
  const subject = freshSubject(bench);
  const other = changed(bench, subject.arguments);
  if (!other) return notTested(did, "every argument is part of the identity");
  const answers = await send(bench, subject, 1);
  answers.push(answerWord(await ports.send(placed(bench, other, subject.key))));
  const took = policy.contract.mismatch === "rejected" && isSuccess(answers[1] ?? "");
  return judgedTwice(async () => {
    const count = await effects(bench, subject);
    const run = judged({ did, sends: 2, answers, ...shown(count) }, 1, "the second call must not take effect");
    return run.verdict === "passed" && took
      ? { ...run, verdict: "failed", why: "the contract says `rejected`, but the second call got a result" }
      : run;
  });
}

const lost =
  (did: string, afterEffect: boolean) =>
  async (bench: Bench): Promise<Tried> => {
    const subject = freshSubject(bench);
    const until = async () => (await bench.look(subject.arguments, subject.operationId)).kind === "applied";
    await bench.ports.lose(placed(bench, subject.arguments, subject.key), afterEffect ? until : undefined);
    const answers = ["lost", ...(await send(bench, subject, 1))];
    return judgedTwice(async () =>
      judged(
        { did, sends: 2, answers, ...shown(await effects(bench, subject)) },
        1,
        "the repeat after the loss must add nothing",
      ),
    );
  };

/** @returns why there is none, in words */
function windowToWaitFor({ policy, request }: Bench): Contract | string {
  const { contract } = policy;
  if (!contract) return "no contract";
  return contract.window > (request.waitForWindow ?? 0) ? "the window is too long to wait for" : contract;
}

async function sendTwice(bench: Bench, subject: Subject, apart: number): Promise<string[]> {
  const answers = await send(bench, subject, 1);
  await bench.wait(apart);
  return [...answers, ...(await send(bench, subject, 1))];
}

/** The last moment at which the guard would still send: a window that has shrunk is seen. */
async function endOfWindow(bench: Bench): Promise<Tried> {
  const did = "the same call again at the end of the window, less its margin";
  const contract = windowToWaitFor(bench);
  if (typeof contract === "string") return notTested(did, contract);
  const subject = freshSubject(bench);
  const answers = await sendTwice(bench, subject, contract.window - contract.margin);
  return judgedTwice(async () => {
    const count = await effects(bench, subject);
    return judged({ did, sends: 2, answers, ...shown(count) }, 1, "a repeat within the window must add nothing");
  });
}

async function afterWindow(bench: Bench): Promise<Tried> {
  const did = "the same call again after the window";
  const contract = windowToWaitFor(bench);
  if (typeof contract === "string") return notTested(did, contract);
  const subject = freshSubject(bench);
  const answers = await sendTwice(bench, subject, contract.window + 1_000);
  return observed(bench, subject, { did, sends: 2, answers }, ": the guard sends nothing that late");
}

/** What the tool makes of repeats by itself: the publisher's claim to be idempotent is about this. */
async function withoutKey(bench: Bench): Promise<Tried> {
  const { look } = bench.policy;
  const did = "the same call twice, without a key";
  if (isProbe(look) && look.correlation === "key")
    return notTested(did, "the look finds effects by their key, so it does not see those without one");
  const subject = freshSubject(bench);
  const answers: string[] = [];
  for (let turn = 0; turn < 2; turn += 1)
    answers.push(answerWord(await bench.ports.send({ arguments: subject.arguments })));
  return observed(bench, subject, { did, sends: 2, answers }, "");
}

/** For the record. */
const observed = (bench: Bench, subject: Subject, run: Pick<Run, "did" | "sends" | "answers">, remark: string) =>
  judgedTwice(async () => {
    const count = await effects(bench, subject);
    const why = `${count ?? "unknown"} seen${remark}`;
    return { ...run, ...shown(count), expected: "anything", verdict: "observed", why };
  });

/** Shows that the test can fail: what must be two effects is seen as two, what must be another state is seen as another. */
async function control(bench: Bench): Promise<Tried> {
  const { policy, ports } = bench;
  if (policy.contract?.dedupes !== "arguments") return controlByKey(bench);
  const subject = freshSubject(bench);
  const other = changed(bench, subject.arguments);
  const answers = await send(bench, subject, 1);
  if (other) answers.push(answerWord(await ports.send({ arguments: other })));
  const did = "another argument on the same resource";
  const run = await judgedTwice(async () => {
    const count = await effects(bench, subject);
    return judged(
      { did, sends: answers.length, answers, ...shown(count) },
      0,
      "what is no longer there is seen as gone",
    );
  });
  return run.verdict === "failed" ? anotherResource(bench, run) : run;
}

/** Where a resource stays as it was first made, no two effects on it can be had: the look must at least tell resources apart. */
async function anotherResource(bench: Bench, before: Run): Promise<Tried> {
  const second = freshSubject(bench);
  const missing = await effects(bench, second);
  const answers = [...before.answers, ...(await send(bench, second, 1))];
  return judgedTwice(async () => {
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
  });
}

/** A look by our key sees each effect under its own key, any other look sees both at once. */
async function controlByKey(bench: Bench): Promise<Tried> {
  const first = freshSubject(bench);
  const operationId = `${first.operationId}-other`;
  const other = { ...first, operationId, key: bench.keyOf(first.arguments, operationId) };
  const answers = await send(bench, first, 1);
  await effects(bench, first);
  const seesBoth = (await bench.look(other.arguments, operationId)).kind === "applied";
  answers.push(...(await send(bench, other, 1)));
  const did = `the same call twice${bench.policy.keyPlace ? ", with two different keys" : ""}`;
  return judgedTwice(async () => {
    const [one, two] = [await effects(bench, first), seesBoth ? 0 : await effects(bench, other)];
    const total = one === undefined || two === undefined ? undefined : one + two;
    const run = judged({ did, sends: 2, answers, ...shown(total) }, 2, "two effects must be seen as two");
    return run.verdict === "failed" ? { ...run, verdict: "inconclusive" } : run;
  });
}

async function withoutRight(bench: Bench): Promise<Tried> {
  const did = "one send with a sign-in that may not write";
  if (!bench.ports.denied) return notTested(did, "no such sign-in was given");
  const subject = freshSubject(bench);
  const evidence = await bench.ports.denied(placed(bench, subject.arguments, subject.key));
  const answers = [answerWord(evidence)];
  return judgedTwice(async () => {
    const count = await effects(bench, subject);
    const run = judged({ did, sends: 1, answers, ...shown(count) }, 0, "without the right nothing may happen");
    if (evidence.kind === "result" && evidence.result.isError !== true)
      return { ...run, verdict: "failed", why: "a sign-in without the right got a result" };
    const unheard = run.verdict === "passed" && (evidence.kind === "silence" || evidence.kind === "not_sent");
    return unheard ? { ...run, verdict: "inconclusive", why: "no answer came: silence denies nothing" } : run;
  });
}

const TRIALS: readonly (readonly [TrialName, (bench: Bench) => Promise<Tried>])[] = [
  ["once", once],
  ["control", control],
  ["repeat", repeat],
  ["changed_arguments", changedArguments],
  ["concurrent", concurrent],
  ["lost_at_once", lost("the answer lost at once, then a repeat", false)],
  ["lost_after_effect", lost("the answer lost after the effect was there, then a repeat", true)],
  ["end_of_window", endOfWindow],
  ["after_window", afterWindow],
  ["without_key", withoutKey],
  ["without_right", withoutRight],
];
