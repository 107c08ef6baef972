/** The sentences of an account. What others said is quoted or fenced; what is a claim is called one. */
import { otherServer, type ReviewedServer, type ServerIdentity, shareable } from "./core/baseline.ts";
import { CONTRACT_OBSTACLES, type Contract, type ContractObstacle } from "./core/contract.ts";
import { durationWords } from "./core/duration.ts";
import { fenced, quoted } from "./core/fence.ts";
import { type Hints, hintWords } from "./core/hints.ts";
import type { JsonObject } from "./core/terms.ts";
import type { CallDescription } from "./describe-api.ts";
import type { ToolDefinition } from "./guard-api.ts";
import type { ToolPolicy } from "./policy.ts";
import type { Suspension } from "./ports.ts";

export interface Situation {
  readonly policy: ToolPolicy;
  readonly arguments: JsonObject;
  readonly definition: ToolDefinition | undefined;
  readonly hints: Hints;
  readonly reviewed: ReviewedServer | undefined;
  readonly configured: ServerIdentity | undefined;
  /** Where a connection of this process really went. */
  readonly reached: ServerIdentity | undefined;
  readonly obstacle: ContractObstacle | undefined;
  readonly suspension: Omit<Suspension, "at"> | undefined;
  readonly observed: readonly string[];
}

function place(identity: ServerIdentity): string {
  const shown = shareable(identity);
  return quoted("url" in shown ? shown.url : [shown.command, ...(shown.args ?? [])].join(" "));
}

export function identityWords({ reviewed, configured, reached }: Situation): string[] {
  const here = reached ?? configured;
  const by = reached ? "seen on the connection" : "by the configuration; the connection itself does not show it";
  const first = here
    ? `The server is reached at ${place(here)} (${by}).`
    : "Where the server is really reached could not be seen: its name is only the one in your configuration.";
  if (!reviewed) return [first, "No review of this server is on record."];
  // The connection does not show the program's files, the configuration does.
  const [other] = [reached, configured].flatMap((each) => (each && otherServer(reviewed.identity, each)) ?? []);
  if (other !== undefined) return [first, `It is not the server that was reviewed: ${other}.`];
  return [first, here ? "That is the server that was reviewed." : `Reviewed was ${place(reviewed.identity)}.`];
}

export function publisherWords({ definition, hints }: Situation): string[] {
  if (!definition) return ["The server's list of tools was not seen: nothing is known of what its publisher claims."];
  const { title, description } = definition;
  return [
    ...(title === undefined ? [] : [`The publisher's title: ${quoted(String(title))}.`]),
    ...(description === undefined ? [] : [`The publisher's description:\n${fenced(String(description))}`]),
    ...hintWords(hints),
  ];
}

export function operatorWords(situation: Situation): string[] {
  const { policy } = situation;
  if (!policy.declared) return ["The operator has not declared this tool: it is treated as a write."];
  return [
    policy.effect === "read"
      ? "The operator declared it a read: it is repeated on trouble, and not recorded."
      : "The operator declared it a write: it is recorded first and sent once.",
    ...(policy.rule === undefined ? [] : [`A rule on arguments holds for this call: when[${policy.rule}].`]),
    ...(policy.identityArgs
      ? [`Calls that agree in ${policy.identityArgs.join(", ")} count as the same wanted effect.`]
      : []),
    ...(policy.contract ? contractWords(policy.contract, situation) : []),
    ...(policy.look ? ["A hook can ask the destination whether the effect is there."] : []),
    ...(policy.verify ? ["The destination is asked after a success, too."] : []),
  ];
}

function contractWords({ dedupes, review, window }: Contract, { obstacle }: Situation): string[] {
  const by = dedupes === "key" ? "a key of ours" : "its arguments";
  const promise = `A contract says that the destination collapses repeats by ${by} for ${durationWords(window)} (${quoted(review.source)}, reviewed by ${quoted(review.by)} on ${review.on}).`;
  return [promise, obstacle ? `It is not in force: ${CONTRACT_OBSTACLES[obstacle]}.` : "It is in force."];
}

/** Words in names that often widen what a call changes. A reason for a person to look, never for a decision. */
const WIDENING = /^(force|overwrite|replace|recursive|all|purge|truncate|hard|permanent|skip_?confirm\w*)$/i;
const EVERYTHING = ["*", "**", "/", "all", "%"];

export function riskWords({ policy, hints, arguments: args, definition }: Situation): string[] {
  if (policy.effect === "read") {
    return ["The operator's word that it only reads is not checked: should it write, a repeat writes again."];
  }
  const { destructive, openWorld } = hints;
  const said =
    destructive.declared === undefined ? "nothing is declared, which has to be read as" : "the publisher says";
  return [
    "If the answer is lost, it may have happened or not; it is not sent again without a ground.",
    ...(definition && destructive.meaningful && destructive.reading
      ? [`It may destroy or overwrite what is there: ${said} destructive.`]
      : []),
    ...(definition && openWorld.reading ? ["It may reach people or systems outside the server."] : []),
    ...Object.entries(args).flatMap(([name, value]) => argumentRisk(name, value)),
    ...(policy.identityArgs
      ? []
      : ["The same wish in other words is another write: no argument is declared to identify it."]),
  ];
}

function argumentRisk(name: string, value: unknown): string[] {
  const at = quoted(`/${name}`, 80);
  if (value === true && WIDENING.test(name))
    return [`The argument ${at} is true: names like this often widen a change.`];
  if (typeof value === "string" && EVERYTHING.includes(value))
    return [`The argument ${at} is ${quoted(value)}: it may mean everything.`];
  if (Array.isArray(value) && value.length > 1)
    return [`The argument ${at} has ${value.length} entries: some may land and others not.`];
  return [];
}

export function unknownWords({ policy, reviewed, definition, obstacle }: Situation): string[] {
  return [
    ...(policy.declared ? [] : ["The operator has not declared this tool: it is treated as a write."]),
    ...(policy.look ? [] : ["If the answer is lost, nothing can ask the destination whether it happened."]),
    ...(policy.contract && !obstacle ? [] : ["No reviewed contract says that the destination collapses repeats."]),
    ...(policy.contract && !policy.contract.review.card
      ? ["No test of repeats backs the contract: the promise is read, not tried."]
      : []),
    ...(policy.permissions.length > 0 ? [] : ["Which permissions the call uses is not declared."]),
    ...(reviewed ? [] : ["Whether the tool is what it was yesterday is not compared: there is no reviewed baseline."]),
    ...(definition ? [] : ["The tool's definition was not seen in this process."]),
    "What the server really does with the call is its own business until somebody looks at the destination.",
  ];
}

/** One text for a screen: headings are ours, quoted and fenced parts are others'. */
export function accountText(account: Omit<CallDescription, "text">): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["Server", [quoted(account.server), ...account.identity]],
    ["Tool", [quoted(account.tool)]],
    ["Arguments", [fenced(JSON.stringify(account.arguments, null, 2)), `Digest: ${account.digest}`]],
    [
      "Target",
      Object.entries(account.target).map(
        ([at, value]) => `${quoted(at)}: ${quoted(typeof value === "string" ? value : JSON.stringify(value))}`,
      ),
    ],
    ["Permissions, as the operator declared them", account.permissions],
    ["The publisher claims", account.publisher],
    ["The operator declared", account.operator],
    ["Observed", account.observed],
    ["What could go wrong", account.risks],
    ["Not known", account.unknown],
  ];
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) =>
      [heading, ...lines.flatMap((line) => line.split("\n")).map((line) => `  ${line}`)].join("\n"),
    )
    .join("\n\n");
}
