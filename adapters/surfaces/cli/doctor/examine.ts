/** Looks at the whole set-up. Reads only: nothing is sent, nothing in the store is moved. */
import { existsSync } from "node:fs";
import type { Setup } from "../../setup/index.ts";
import { tell } from "../exit.ts";
import { duration } from "../text.ts";
import { notPromised, promised } from "./promises.ts";
import { type Finding, ok, problem, type Report, warning } from "./report.ts";
import { examineTools } from "./tools.ts";

/** Another clock than the store's is harmless for the engine, but not for the people who compare times. */
const CLOCKS_APART = 5_000;
const OLD = 86_400_000;

export async function examine(setup: Setup, connect: boolean): Promise<Report> {
  const store = await examineStore(setup);
  const reachable = store.every(({ status }) => status !== "problem");
  const findings = [
    ...examineConfig(setup),
    ...store,
    ...(await examineTools(setup, { connect, suspensions: reachable && !isMissing(setup) })),
  ];
  return {
    store: setup.address,
    config: setup.file ?? null,
    findings,
    promised: promised(setup, reachable),
    notPromised: notPromised(setup),
  };
}

function examineConfig({ file, warnings, guard }: Setup): Finding[] {
  return [
    file === undefined
      ? warning(
          "config",
          "There is no configuration file here.",
          "Write indoubt.config.json, so that the command line, the worker and your programs know the same hooks and contracts.",
        )
      : ok("config", "The configuration file is valid."),
    ...warnings.map((words) => warning("config", words)),
    ...guard.warnings.map((words) => warning("policy", words)),
  ];
}

/** Nothing is made by looking: an empty store would hide a wrong folder. */
const isMissing = ({ store, address }: Setup): boolean =>
  store.kind === "sqlite" && !existsSync(address.replace(/^sqlite:/, ""));

async function examineStore(setup: Setup): Promise<Finding[]> {
  const { guard, store, address } = setup;
  if (isMissing(setup)) {
    return [
      warning(
        "store",
        `There is no file at ${address.replace(/^sqlite:/, "")} yet.`,
        "The first guarded call makes it.",
      ),
    ];
  }
  try {
    const { at, attention, oldestUnresolvedMs } = await guard.queue.stats();
    const health = await store.health();
    return [
      health.ok ? ok("store", "It answers.") : problem("store", "It does not answer as it should."),
      ok("secret", "It fits the store."),
      ...health.warnings.map((words) => durabilityFinding(store.kind, words)),
      ...(health.warnings.length === 0 ? [ok("durability", "Nothing is missing in its set-up.")] : []),
      clockFinding(at),
      queueFinding(attention, oldestUnresolvedMs),
    ];
  } catch (error) {
    const { code, message, cure } = tell(error);
    const check = code === "STORE_INCOMPATIBLE" && /secret|key/i.test(message) ? "secret" : "store";
    return [problem(check, message, cure)];
  }
}

/** Memory and a Redis without a file forget what was sent: that breaks the promise itself. */
const durabilityFinding = (kind: string, words: string): Finding =>
  kind === "memory" || /append-only file is off/.test(words)
    ? problem("durability", words)
    : warning("durability", words);

function clockFinding(at: number): Finding {
  const apart = Math.abs(at - Date.now());
  if (apart <= CLOCKS_APART) return ok("clock", "This machine and the store agree.");
  const words = `This machine and the store are ${duration(apart)} apart; times on record are the store's.`;
  return warning("clock", words, "Let both machines set their clocks by the network (NTP).");
}

function queueFinding(attention: number, oldest: number | undefined): Finding {
  if (attention === 0) return ok("queue", "Nothing waits for a person.");
  const words = `${attention} ${attention === 1 ? "operation waits" : "operations wait"} for a person, the oldest for ${duration(oldest ?? 0)}.`;
  return (oldest ?? 0) > OLD ? warning("queue", words, "Settle them: indoubt queue list.") : ok("queue", words);
}
