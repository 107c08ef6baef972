/** P0 and I1 to I12 under random faults, with every assumption true. */
import { afterAll, describe, test } from "vitest";
import { PROFILES, type Profile } from "./profiles.ts";
import { holds, RUNS, totals } from "./run.ts";

const PROMISE: Readonly<Record<Profile, string>> = {
  manual: "without hook and contract, doubt waits for a person and nothing is sent twice",
  observe: "with a hook, absence settles an operation and nothing is sent twice",
  hook: "with resends after observed absence, nothing takes effect twice",
  contract: "with a key contract, a resend inside its window takes effect once",
  serial: "with a serial contract, a resend waits for quiescence and takes effect once",
  hook_and_contract: "with hook and contract, nothing takes effect twice",
};

const SHARE = RUNS / 8;

describe("Whatever happens to processes, network, store and clocks (I1 to I12)", () => {
  for (const profile of PROFILES) {
    test(PROMISE[profile], { timeout: 600_000 }, () => holds([profile], { loss: "none", runs: SHARE }));
  }
  test(
    "a store that lost records, and knows it, makes no operation with an issue time happen twice (I7)",
    { timeout: 600_000 },
    () => holds(PROFILES, { loss: "whole", runs: SHARE }),
  );
  test(
    "a store that lost the newest versions of records, and knows it, makes nothing happen twice, whatever the identity (I2, I7)",
    { timeout: 600_000 },
    () => holds(PROFILES, { loss: "newest", runs: SHARE }),
  );
  test(
    "a call that is asked takes effect once, whoever answers, how often, how late, or never (I1, I2, I6, W1-08)",
    { timeout: 600_000 },
    () => holds(PROFILES, { loss: "none", rounds: true, runs: SHARE }),
  );
  test("a store that loses what it knows of questions and answers makes nothing happen twice (I2, I7, W1-08)", {
    timeout: 600_000,
  }, async () => {
    for (const loss of ["newest", "whole"] as const) await holds(PROFILES, { loss, rounds: true, runs: SHARE / 2 });
  });
});

afterAll(() => {
  if (process.env.MODEL_RUNS) process.stdout.write(`${JSON.stringify(totals)}\n`);
});
