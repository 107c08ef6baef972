/** Pointers of the configuration against the reviewed definitions: a misspelt one is told before anything runs. */

import type { ReviewedDefinition } from "./core/contract.ts";
import { quoted } from "./core/fence.ts";
import { impossibleAt, misfitAt } from "./core/schema-pointer.ts";
import type { JsonObject } from "./core/terms.ts";
import { catalogueFor } from "./lock.ts";
import type { ParsedOptions } from "./options-schema.ts";
import { own, policiesOf, type ToolPolicy } from "./policy.ts";
import { isProbe, probeProblems } from "./probe/probe.ts";
import { fieldsIn } from "./probe/template.ts";

/** Option -> pointers that must be able to stand in the arguments. */
export function argumentPointers(policy: ToolPolicy): Readonly<Record<string, readonly string[]>> {
  const key = policy.keyPlace;
  return {
    identityArgs: policy.identityArgs ?? [],
    volatileArgs: policy.volatileArgs ?? [],
    redact: policy.redact,
    target: policy.target,
    echo: Object.values(policy.rules.echo),
    [keyOption(policy)]: key && "argument" in key ? [key.argument] : [],
    when: policy.ruleArgs,
    reconcile: policy.probeArgs,
  };
}

const keyOption = ({ contract }: ToolPolicy): string => (contract?.key ? "contract.key.argument" : "marker.argument");

/** The first option with a pointer that the schema cannot have. */
export function impossiblePointer(
  policy: ToolPolicy,
  schema: unknown,
): { readonly option: string; readonly pointer: string } | undefined {
  for (const [option, list] of Object.entries(argumentPointers(policy))) {
    const pointer = list.find((at) => impossibleAt(schema, at));
    if (pointer !== undefined) return { option, pointer };
  }
  return undefined;
}

/** Of the same form as every key that is minted. */
const SOME_KEY = "00000000-0000-8000-8000-000000000000";

/** Why the field cannot take a key. */
export function keyProblem(policy: ToolPolicy, schema: unknown): string | undefined {
  const key = policy.keyPlace;
  if (!key || !("argument" in key)) return undefined;
  const why = misfitAt(schema, key.argument, SOME_KEY);
  return why === undefined
    ? undefined
    : `${keyOption(policy)}: the schema forbids a key at ${quoted(key.argument)} (${why}); a key is a UUID as text`;
}

/** Every problem, with its path and cure. */
export function pointerProblems(options: ParsedOptions): string[] {
  return Object.entries(options.servers).flatMap(([server, { tools, principal }]) => {
    const catalogue = catalogueFor(own(options.lock?.servers, server), principal);
    return Object.keys(tools).flatMap((tool) => {
      const reviewed = own(catalogue?.tools, tool);
      return reviewed ? problemsOf(options, server, tool, reviewed.definition) : [];
    });
  });
}

function problemsOf(options: ParsedOptions, server: string, tool: string, definition: ReviewedDefinition): string[] {
  const where = `servers.${server}.tools.${tool}`;
  const seen = new Set<string>();
  return policiesOf(options, server, tool).all.flatMap((policy) => {
    const at = policy.rule === undefined ? where : `${where}.when.${policy.rule}`;
    const wrong = impossiblePointer(policy, definition.inputSchema);
    const key = keyProblem(policy, definition.inputSchema);
    const said = [...(wrong ? [`${wrong.option}: ${notThere(wrong.pointer, tool)}; correct the pointer`] : []), key];
    return said.flatMap((text) => {
      if (text === undefined || seen.has(text)) return [];
      seen.add(text);
      return [`${at}.${text}`];
    });
  });
}

export const notThere = (pointer: string, tool: string): string =>
  `"${pointer}" is not in the input schema of "${tool}"`;

/** A review that is over at the start: better told now than during an outage. */
export function expiredReviews(options: ParsedOptions, today: string): string[] {
  return Object.entries(options.servers).flatMap(([server, { tools }]) =>
    Object.keys(tools).flatMap((tool) => {
      const expired = policiesOf(options, server, tool).all.flatMap(({ contract }) => contract?.review.expires ?? []);
      return [...new Set(expired)]
        .filter((day) => today > day)
        .map((day) => {
          const cure = "read the promise again and set a later date, or remove the contract: calls pass without one";
          return `servers.${server}.tools.${tool}.contract.review.expires: the review expired on ${day}; ${cure}`;
        });
    }),
  );
}

/** What a look needs from the rest of the configuration: a read to call, a key that was placed, arguments that are kept. */
export function lookProblems(options: ParsedOptions): string[] {
  return Object.entries(options.servers).flatMap(([server, { tools }]) =>
    Object.keys(tools).flatMap((tool) =>
      policiesOf(options, server, tool).all.flatMap((policy) => {
        const rule = policy.rule === undefined ? "" : `.when.${policy.rule}`;
        return lookProblem(options, server, policy).map(
          (text) => `servers.${server}.tools.${tool}${rule}.reconcile${text}`,
        );
      }),
    ),
  );
}

function lookProblem(options: ParsedOptions, server: string, { look, keyPlace, redact, limits }: ToolPolicy): string[] {
  if (!isProbe(look)) return [];
  const { calls, correlation, rules } = look;
  const reads = calls === undefined || policiesOf(options, server, calls).base.effect === "read";
  const { fields } = fieldsIn([rules.request, (rules.found.where ?? {}) as JsonObject]);
  const masked = fields.flatMap((field) => (field.kind === "argument" && redact.includes(field.at) ? [field.at] : []));
  return [
    // Those that call a tool were checked with the options; SQL and HTTP come as hooks.
    ...(calls === undefined ? probeProblems(rules).map(([path, text]) => `.${path}: ${text}`) : []),
    ...(correlation === "count" && limits.resendWhenAbsent
      ? [
          ".resendWhenAbsent: a count that has not grown is no ground for another send: somebody else may have removed one. Correlate by key, watermark or fields that identify, or leave the send to a person",
        ]
      : []),
    ...(reads
      ? []
      : [
          `.tool: "${calls}" is not declared a read, and a look must never write. If it only reads, declare servers.${server}.tools.${calls}: { "effect": "read" }`,
        ]),
    ...(correlation === "key" && !keyPlace
      ? [
          `: {{key}} is looked for, but no key is placed. Add a contract with a key, or marker: { "argument": "/reference" } for a field that the destination shows again`,
        ]
      : []),
    ...masked.map(
      (at) => `: {{arguments${at}}} is redacted, so it is not on record. Take it out of redact or out of the probe`,
    ),
  ];
}
