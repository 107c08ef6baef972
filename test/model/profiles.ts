/** What the operator declared about the one tool of a run, and what is really so. */
import { type ContractInput, type ReconcileHook, toolFingerprint } from "../../src/index.ts";

export const SERVER = "shop";
export const TOOL = "create_order";
export const DEFINITION = { name: TOOL };

/** Declared bounds in ms. What the world does stays inside them unless a run breaks an assumption on purpose. */
export const LEASE = 6_000;
export const SETTLE = 5_000;
export const STALENESS = 2_000;
export const DEADLINE = 10_000;
/** How long a question waits for its answer. */
export const INPUT_FOR = 60_000;
export const WINDOW = 60_000;
export const MARGIN = 8_000;

export const PROFILES = ["manual", "observe", "hook", "contract", "serial", "hook_and_contract"] as const;
export type Profile = (typeof PROFILES)[number];

export const hasHook = (profile: Profile): boolean => ["observe", "hook", "hook_and_contract"].includes(profile);
export const hasContract = (profile: Profile): boolean => ["contract", "serial", "hook_and_contract"].includes(profile);
/** The destination checks the key when a request comes in, so that overlapping requests both take effect. */
export const overlapUnsafe = (profile: Profile): boolean => profile === "serial";

const contract = (profile: Profile): ContractInput => ({
  dedupes: "key",
  key: { argument: "/key" },
  window: WINDOW,
  margin: MARGIN,
  concurrent: profile === "serial" ? "serial" : "joined",
  mismatch: "rejected",
  replaysErrors: false,
  scope: { caller: "tests", downstream: "included" },
  review: { source: "https://shop.example/docs/keys", by: "operator", on: "2026-11-30" },
  pin: { tool: toolFingerprint(DEFINITION) },
});

/** The configuration of every guard of the run. */
export function policies(profile: Profile, look: ReconcileHook) {
  const observing = { look, settle: SETTLE, staleness: STALENESS, within: 3_000, maxProbes: 6 };
  return {
    lease: LEASE,
    deadline: DEADLINE,
    maxDeadline: INPUT_FOR,
    storeTimeout: 2_000,
    sweepEvery: 4_000,
    servers: {
      [SERVER]: {
        rejectsBeforeWork: [429],
        tools: {
          [TOOL]: {
            identityArgs: ["/item"],
            ...(hasHook(profile) && {
              reconcile: {
                ...observing,
                absentReads: profile === "hook" ? 2 : 1,
                resendWhenAbsent: profile === "hook",
              },
            }),
            ...(hasContract(profile) && { contract: contract(profile), settle: SETTLE }),
          },
        },
      },
    },
  };
}
