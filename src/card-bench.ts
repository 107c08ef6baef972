/** The tools of a test bench: subjects of their own for each trial, raw sends, counted effects, judgements. */
import type { CardPorts, CardRequest, CardSend, CardVerdict, Trial } from "./card-api.ts";
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
  /** In ms: what landed by then counts. */
  readonly settle: number;
  /** The key that the guard would mint for this call. */
  keyOf(args: JsonObject, operationId: string): string;
  /** Looks at the destination. */
  look(args: JsonObject, operationId: string): Promise<Observation>;
  wait(ms: number): Promise<void>;
}

export type Run = Omit<Trial, "name">;
/** What was tried, and how it is judged once more. */
export type Tried = Run & { readonly again?: () => Promise<Run> };

export const broken = (error: unknown): Run => ({
  did: "the trial itself broke",
  sends: 0,
  answers: [],
  expected: "",
  verdict: "inconclusive",
  // The text may be the server's own, with an address or a row in it; a card is shared.
  why: `it ended with ${errorKind(error)}`,
});

function errorKind(error: unknown): string {
  if (!(error instanceof Error)) return "an error";
  const { code } = error as { code?: unknown };
  const known = typeof code === "number" || (typeof code === "string" && /^\w{1,40}$/.test(code));
  return `${/^\w{1,40}$/.test(error.name) ? error.name : "an error"}${known ? ` (${code})` : ""}`;
}

export const notTested = (did: string, why: string): Run => ({
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

export function placed({ policy }: Bench, args: JsonObject, key: string): CardSend {
  const sent = placeKey(policy.keyPlace, policy.contract, () => key, args, { headers: true } as never);
  return sent ?? { arguments: args };
}

export const answerWord = (evidence: WireEvidence): string => {
  if (evidence.kind === "result") return evidence.result.isError === true ? "tool error" : "result";
  if (evidence.kind === "rpc_error") return `error ${evidence.code}`;
  return evidence.kind === "http_status" ? `HTTP ${evidence.status}` : evidence.kind;
};
export const isSuccess = (word: string): boolean => word === "result";

/** Undefined: the destination could not say. */
export async function effects(bench: Bench, { arguments: args, operationId }: Subject): Promise<number | undefined> {
  const patience = [0, 200, 1_000];
  for (const pause of patience) {
    if (pause > 0) await bench.wait(pause);
    const seen = await bench.look(args, operationId);
    if (seen.kind === "applied") return seen.count ?? 1;
    if (seen.kind === "absent" && pause === patience.at(-1)) return 0;
  }
  return undefined;
}

/** A judgement that can be made again, when what was late has landed. */
export const judgedTwice = async (judge: () => Promise<Run>): Promise<Tried> => ({ ...(await judge()), again: judge });

/** What lands late counts; what was one effect too many stays so. */
export async function judgedAgain({ again, ...run }: Tried, waited: string): Promise<Run> {
  const later = await again?.().catch(broken);
  if (!later || later.effects === run.effects) return run;
  const fewer = later.effects !== undefined && run.effects !== undefined && later.effects < run.effects;
  if (fewer && run.verdict === "failed") return run;
  return { ...later, why: `${later.why} (${waited} later; ${run.effects ?? "unknown"} at first)` };
}

export async function send(bench: Bench, subject: Subject, times: number, key = subject.key): Promise<string[]> {
  const answers: string[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    answers.push(answerWord(await bench.ports.send(placed(bench, subject.arguments, key))));
  }
  return answers;
}

export function judged(run: Omit<Run, "verdict" | "why" | "expected">, expected: number, why: string): Run {
  const { effects: seen } = run;
  const verdict: CardVerdict = seen === undefined ? "inconclusive" : seen === expected ? "passed" : "failed";
  const said = seen === undefined ? "the destination could not say" : `${seen} seen; ${why}`;
  return { ...run, expected: expected === 1 ? "1 effect" : `${expected} effects`, verdict, why: said };
}
export const shown = (count: number | undefined) => (count === undefined ? {} : { effects: count });

/** The first text or number that is neither identity nor key, with another value. */
export function changed({ policy, request }: Bench, args: JsonObject): JsonObject | undefined {
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
