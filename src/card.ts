/** Makes and checks evidence cards. A card never makes a contract; a contract that cites one depends on it. */
import type { Card, CardPorts, CardRequest, CardVerdict, Trial } from "./card-api.ts";
import type { Bench } from "./card-bench.ts";
import { sealedCard } from "./card-file.ts";
import { runTrials } from "./card-run.ts";
import { shareable } from "./core/baseline.ts";
import { toolFingerprint } from "./core/contract.ts";
import { contradicted, hintWords, readHints } from "./core/hints.ts";
import { dedupKey } from "./core/identity.ts";
import { redact } from "./core/redaction.ts";
import { IndoubtError } from "./errors.ts";
import type { Parts } from "./guard-parts.ts";
import { isRefusal, type PreparedCall, prepare, readArguments } from "./intake.ts";
import { lookFor } from "./look.ts";
import { own, type ToolPolicy } from "./policy.ts";

/** Trials without which a card says nothing. */
const NEEDED = ["once", "control", "repeat"] as const;

/** @throws IndoubtError CONFIG_INVALID for a server that is no test environment, a tool without a look, or an unknown definition */
export async function makeCard(parts: Parts, request: CardRequest, ports: CardPorts): Promise<Card> {
  const { runtime, catalog, drift } = parts;
  const { server, tool } = request;
  const declared = own(runtime.settings.servers, server);
  if (declared?.environment !== "test") {
    throw refused(
      `A card is made by writing again and again: servers.${server}.environment must be "test". It is ${JSON.stringify(declared?.environment ?? "not set")}.`,
    );
  }
  const policy = runtime.settings.policy(server, tool, request.arguments);
  if (!policy.look)
    throw refused(`Nothing can count the effects of "${tool}": add reconcile to servers.${server}.tools.${tool}.`);
  const definition = catalog.definition(server, tool);
  if (!definition) throw refused(`The definition of "${tool}" was not seen: list the server's tools first.`);
  if (!policy.identityArgs)
    throw refused(
      `servers.${server}.tools.${tool}.identityArgs: name the arguments that tell one trial from the next.`,
    );
  await runtime.ready();
  const bench = benchOf(parts, request, policy, ports);
  const trials = await runTrials(bench);
  const hints = readHints(definition.annotations);
  const { contract } = policy;
  const { release } = catalog.listed(server, declared.principal);
  const identity = drift.reached(server) ?? declared.identity;
  return sealedCard({
    version: 1,
    server,
    tool,
    environment: "test",
    identity: identity && shareable(identity),
    release,
    fingerprint: toolFingerprint(definition),
    contract: contract?.fingerprint,
    on: new Date(runtime.clock.wall()).toISOString().slice(0, 10),
    by: request.actor,
    claim: [
      ...(contract ? [`${contract.review.source}, read by ${contract.review.by} on ${contract.review.on}`] : []),
      ...hintWords(hints),
    ],
    controls: controlsOf(policy, ports),
    arguments: redact(request.arguments, policy.redact, policy.keepArgs).value,
    trials,
    contradictions: trials.flatMap(({ name, effects, sends }) =>
      effects === undefined || (name !== "once" && name !== "without_key")
        ? []
        : contradicted(hints, { effects, sends }),
    ),
    limits: limitsOf(trials, bench),
    uncertain: UNCERTAIN,
    verdict: verdictOf(trials),
  });
}

function benchOf(parts: Parts, request: CardRequest, policy: ToolPolicy, ports: CardPorts): Bench {
  const { runtime } = parts;
  const keys = runtime.keys();
  const prepared = (args: CardRequest["arguments"], operationId: string): PreparedCall => {
    const call = { server: request.server, tool: request.tool, arguments: args, operationId };
    const read = readArguments(runtime, call);
    const made = isRefusal(read) ? read : prepare(runtime, keys, parts.catalog, call, policy, read);
    if (isRefusal(made)) throw refused(`The arguments of the card are refused (${made.because}): ${made.detail}`);
    return made;
  };
  return {
    request,
    policy,
    ports,
    settle: request.settle ?? policy.limits.settle,
    keyOf: (args, operationId) => dedupKey(keys, prepared(args, operationId).id),
    look: async (args, operationId) => (await lookFor(parts, prepared(args, operationId))).look(),
    wait: (ms) => new Promise((resolve) => runtime.clock.after(ms, () => resolve())),
  };
}

function controlsOf(policy: ToolPolicy, ports: CardPorts): string[] {
  return [
    "The server is marked as a test environment by the operator.",
    "Effects were counted at the destination by the operator's look, not by the answers.",
    "The look was tried on what must be two effects (or another state): the test could have failed.",
    ...(policy.keyPlace ? ["The key was minted here, one for each wanted effect."] : []),
    ...(ports.denied ? ["A sign-in without the right to write was tried."] : []),
  ];
}

function limitsOf(trials: readonly Trial[], { settle }: Bench): string[] {
  return [
    `All effects were counted again ${settle / 1_000} s after the last trial: what lands later is not seen.`,
    "One tool, one definition, one release, one environment, on one day.",
    ...trials.flatMap(({ name, verdict, why }) => (verdict === "not_tested" ? [`Not tested: ${name} (${why}).`] : [])),
  ];
}

const UNCERTAIN = [
  "Whether production behaves as the test environment does.",
  "Whether repeats that come later than the test, or from other machines, are collapsed as well.",
  "What systems behind the destination do with a repeat.",
];

function verdictOf(trials: readonly Trial[]): CardVerdict {
  const of = (name: Trial["name"]) => trials.find((trial) => trial.name === name)?.verdict;
  // A look that cannot tell effects apart makes every other trial worthless.
  if (of("once") === "inconclusive") return "inconclusive";
  if (of("once") !== "failed" && of("control") !== "passed") return "inconclusive";
  if (trials.some(({ verdict }) => verdict === "failed")) return "failed";
  const sound = NEEDED.every((name) => of(name) === "passed");
  return sound && !trials.some(({ verdict }) => verdict === "inconclusive") ? "passed" : "inconclusive";
}

const refused = (text: string): IndoubtError => new IndoubtError("CONFIG_INVALID", text);
