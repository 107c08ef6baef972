/**
 * A look at the destination as data: a request with places to fill in, and rules that say which part of the answer is
 * the effect. A match must correlate: by our key, by what was there before the send, or by fields that the operator
 * says identify one effect. "The newest one" is no match.
 */

import { canonicalJson } from "../core/canonical-json.ts";
import { readPointer } from "../core/pointer.ts";
import type { JsonObject, JsonValue, Observation } from "../core/terms.ts";
import {
  absent,
  applied,
  type Baseline,
  type BaselineHook,
  type Intent,
  type LookTools,
  type ReconcileHook,
  unclear,
} from "../reconcile-api.ts";
import { type Condition, highest, itemsIn, matching, sameRank, type Test } from "./match.ts";
import { type Field, fieldsIn, fill } from "./template.ts";

/** Which part of an answer is the effect. */
export interface Found {
  /**
   * Where the items stand in the answer; one that is no list is one item.
   * @default the whole answer; then `where` must say what shows the effect
   * @example "/structuredContent/invoices"
   */
  readonly at?: string | undefined;
  /**
   * Read the answer's first text block as JSON first.
   * @default the answer as it is
   * @example "json"
   */
  readonly parse?: "json" | undefined;
  /**
   * What an item must show: JSON Pointer in the item to a value, `{ contains }` or `{ after }`, with places to fill in.
   * @default {}
   * @example { "/reference": "{{key}}" }
   */
  readonly where?: Readonly<Record<string, Condition>> | undefined;
  /**
   * Where an item has the destination's own reference.
   * @default none
   * @example "/id"
   */
  readonly ref?: string | undefined;
  /**
   * The fields in `where` identify one effect, by your word: an order has one invoice.
   * @default false
   * @example true
   */
  readonly identifies?: boolean | undefined;
  /**
   * The destination filters by the request; without it `where` must name the field that shows the key.
   * @default false
   * @example true
   */
  readonly filtered?: boolean | undefined;
  /**
   * What it means when there is nothing, or null, at `at`.
   * @default the look is unclear
   * @example "absent"
   */
  readonly missing?: "absent" | undefined;
  /**
   * Where the answer says that there are more pages; then nothing is absent.
   * @default the usual names beside and around the list, such as `nextCursor`, `has_more`, `pageInfo.hasNextPage`
   * @example "/structuredContent/nextCursor"
   */
  readonly more?: string | undefined;
  /**
   * Answers, also errors, that mean: it is not there.
   * @default []
   * @example [{ at: "/structuredContent/code", equals: "not_found" }]
   */
  readonly absentWhen?: readonly { readonly at: string; readonly equals: JsonValue }[] | undefined;
}

/** What is read before the send, where the destination shows no key. */
export type BaselineRule = "count" | { readonly watermark: string };

export interface ProbeRules {
  /** Filled in and handed to `read`. */
  readonly request: JsonObject;
  readonly found: Found;
  readonly baseline?: BaselineRule | undefined;
}

/** Asks once. Throws where the answer is none. */
export type ProbeRead = (request: JsonObject, tools: LookTools) => Promise<JsonValue>;

/** A hook that can be looked into. */
export interface Probe extends ReconcileHook {
  readonly rules: ProbeRules;
  readonly correlation: Correlation;
  /** The request as it would go out, or what is missing for it. */
  request(intent: Intent): JsonObject | string;
  /** What an answer would mean. */
  judge(answer: JsonValue, intent: Intent, baseline: Baseline | undefined): Observation;
  readonly before?: BaselineHook;
  /** The tool that it calls, where it does. */
  readonly calls?: string;
}

export type Correlation = "key" | "watermark" | "count" | "arguments" | "none";

/** @param calls the tool that `read` calls, if it does */
export function probe(rules: ProbeRules, read: ProbeRead, calls?: string): Probe {
  const correlation = correlationOf(rules);
  const where = (intent: Intent, baseline: Baseline | undefined) => testsOf(rules.found, intent, baseline);

  const judge: Probe["judge"] = (answer, intent, baseline) => {
    const { found } = rules;
    if (saysAbsent(answer, found)) return absent();
    const seen = itemsIn(answer, { ...found, at: found.at ?? "" });
    if (seen.kind === "unreadable") return unclear(seen.why);
    if (saysNothingOf(answer, found)) return unclear("found does not say which part of the answer is the effect");
    const matches = matching(seen.items, where(intent, baseline));
    if (correlation === "count") return judgeCount(matches.length, baseline?.count, seen.complete);
    if (matches.length === 0) {
      const rule = rules.baseline;
      const twins = typeof rule === "object" ? sameRank(seen.items, rule.watermark, baseline?.watermark ?? null) : 0;
      if (twins > (baseline?.count ?? 0)) return unclear("an item with the very value of the watermark is new");
      return seen.complete ? absent() : unclear("the answer has more pages, and this one does not show it");
    }
    return judgeMatches(matches, correlation, found.ref);
  };

  const hook: ReconcileHook = async (intent, tools) => {
    const request = fill(rules.request, intent, tools.baseline);
    if (request.kind === "missing") return unclear(request.what);
    return judge(await read(request.value as JsonObject, tools), intent, tools.baseline);
  };
  const before = rules.baseline && baselineReader(rules, rules.baseline, read);
  return Object.assign(hook, {
    rules,
    correlation,
    judge,
    request: (intent: Intent) => {
      const request = fill(rules.request, intent, undefined);
      return request.kind === "filled" ? (request.value as JsonObject) : request.what;
    },
    ...(before && { before }),
    ...(calls !== undefined && { calls }),
  });
}

export const isProbe = (hook: ReconcileHook | undefined): hook is Probe => hook !== undefined && "rules" in hook;

/** An answer that is no list is always there: without `at` or `where` it would be an effect whatever it says. */
const saysNothingOf = (answer: JsonValue, { at = "", where = {} }: Found): boolean =>
  at === "" && !Array.isArray(answer) && Object.keys(where).length === 0;

/** The operator's conditions, with their places filled in: a value from a call never becomes a comparison. */
function testsOf({ where = {} }: Found, intent: Intent, baseline: Baseline | undefined): readonly Test[] {
  return Object.entries(where).map(([at, condition]): Test => {
    const [how, template] = comparisonIn(condition);
    const { value } = filled({ value: template }, intent, baseline) as { value: JsonValue };
    return { at, how, value, isKey: fieldsIn(template).fields.some(({ kind }) => kind === "key") };
  });
}

function comparisonIn(condition: Condition): readonly [how: Test["how"], template: JsonValue] {
  if (typeof condition === "object" && condition !== null && !Array.isArray(condition)) {
    const [[name, template] = [], ...more] = Object.entries(condition);
    if (more.length === 0 && template !== undefined && (name === "after" || name === "contains")) {
      return [name, template as JsonValue];
    }
  }
  return ["equals", condition as JsonValue];
}

/** The answer is one of those that mean: it is not there. */
export const saysAbsent = (answer: JsonValue, { absentWhen = [] }: Found): boolean =>
  absentWhen.some(({ at, equals }) => isEqual(readPointer(answer, at), equals));

const isEqual = (value: JsonValue | undefined, wanted: JsonValue): boolean =>
  value !== undefined && canonicalJson(value) === canonicalJson(wanted);

function filled(template: JsonObject, intent: Intent, baseline: Baseline | undefined): JsonValue {
  const made = fill(template, intent, baseline);
  if (made.kind === "filled") return made.value;
  throw new Error(made.what);
}

function judgeMatches(matches: readonly JsonValue[], correlation: Correlation, ref: string | undefined): Observation {
  const [first] = matches;
  const reference = ref === undefined || first === undefined ? undefined : readPointer(first, ref);
  const facts = reference === undefined || reference === null ? {} : { ref: String(reference).slice(0, 256) };
  if (correlation === "key" || correlation === "arguments") return applied({ ...facts, count: matches.length });
  if (matches.length > 1)
    return unclear(`${matches.length} items match, and nothing tells which of them is this effect`);
  return applied(correlation === "watermark" ? facts : { ...facts, attributed: false });
}

function judgeCount(now: number, before: number | undefined, complete: boolean): Observation {
  if (before === undefined) return unclear("what was there before the send is not on record");
  if (!complete) return unclear("the answer has more pages, so it cannot be counted");
  const more = now - before;
  if (more === 0) return absent();
  if (more === 1) return applied({ attributed: false });
  return unclear(more < 0 ? "there are fewer items than before the send" : `${more} items more than before the send`);
}

/** The same request as the look, before the send: how many match already, or the highest value of a field. */
function baselineReader({ request, found }: ProbeRules, rule: BaselineRule, read: ProbeRead): BaselineHook {
  return async (intent, tools) => {
    const asked = filled(request, intent, undefined) as JsonObject;
    const seen = itemsIn(await read(asked, tools), { ...found, at: found.at ?? "" });
    if (seen.kind === "unreadable") throw new Error(seen.why);
    if (!seen.complete) throw new Error("the answer has more pages");
    if (rule !== "count") {
      const watermark = highest(seen.items, rule.watermark);
      return { watermark, count: sameRank(seen.items, rule.watermark, watermark) };
    }
    return { count: matching(seen.items, testsOf(found, intent, undefined)).length };
  };
}

function correlationOf({ request, found, baseline }: ProbeRules): Correlation {
  const { fields } = fieldsIn([request, (found.where ?? {}) as JsonObject]);
  const uses = (wanted: Field["kind"]) => fields.some(({ kind }) => kind === wanted);
  if (uses("key")) return "key";
  if (baseline === "count") return "count";
  if (uses("baseline")) return "watermark";
  return found.identifies ? "arguments" : "none";
}

/** What is wrong with the rules, each with its cure and the option that it stands in. */
export function probeProblems(rules: ProbeRules): readonly (readonly [path: string, text: string])[] {
  const { request, found, baseline } = rules;
  const asked = fieldsIn(request);
  const shown = fieldsIn((found.where ?? {}) as JsonObject);
  const inRequest = (kind: Field["kind"]) => asked.fields.some((field) => field.kind === kind);
  const inWhere = (kind: Field["kind"]) => shown.fields.some((field) => field.kind === kind);
  return [
    ...asked.wrong.map((text) => ["arguments", text] as const),
    ...shown.wrong.map((text) => ["found.where", text] as const),
    ...(inRequest("baseline")
      ? [
          [
            "arguments",
            "the request is the same before and after the send, so it cannot use {{baseline…}}: use it in found.where",
          ] as const,
        ]
      : []),
    ...(inWhere("baseline") && (baseline === undefined || baseline === "count")
      ? [
          [
            "baseline",
            '{{baseline…}} needs baseline: { watermark: "/field" }: nothing is read before the send',
          ] as const,
        ]
      : []),
    ...(baseline !== undefined && (inRequest("key") || inWhere("key"))
      ? [["baseline", "the key correlates by itself and cannot be there before the send: remove one of them"] as const]
      : []),
    ...(typeof baseline === "object" && !inWhere("baseline")
      ? [["found.where", 'use the watermark: { "/field": { "after": "{{baseline.watermark}}" } }'] as const]
      : []),
    ...(inRequest("key") && !inWhere("key") && !found.filtered
      ? [
          [
            "found.where",
            "name the field that shows the key, or say filtered: true: a destination that ignores the filter shows the effect of another",
          ] as const,
        ]
      : []),
  ];
}
