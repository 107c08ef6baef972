/** Wrong versions of what keeps the rounds of a call together. */
import { edit, type Mutant } from "./mutants.ts";

const RESTART = "test/e2e/tap/legs-restart.test.ts";

export const LEGS_MUTANTS: readonly Mutant[] = [
  {
    name: "legs: a question answered twice",
    breaks: "Whoever met the question before it was answered may send an answer too: two processes send one round.",
    invariant: "I1",
    edits: [
      edit(
        "src/core/lifecycle-guards.ts",
        `event.type === "next_leg" && record.asked === event.question`,
        `event.type === "next_leg"`,
      ),
    ],
    tests: [RESTART],
  },
  {
    name: "legs: a repeat is a call of its own",
    breaks: "A round that was sent, and comes again, finds nothing that it belongs to.",
    invariant: "I2",
    edits: [edit("src/ledger.ts", "[questionEntry(leg), legEntry(leg)]", "[questionEntry(leg)]")],
    tests: [RESTART],
  },
  {
    name: "legs: forgotten with the hold",
    breaks: "A closed operation leaves no record of the rounds that it sent.",
    invariant: "I2",
    edits: [edit("src/legs.ts", "for (const leg of record.legs) if", "for (const leg of [] as string[]) if")],
    tests: [RESTART],
  },
  {
    name: "legs: a person has as long as a lease",
    breaks: "A question is over when a driver would be taken for dead.",
    invariant: "W1",
    edits: [edit("src/core/lifecycle-effects.ts", "after(record.limits.inputFor)", "after(record.limits.lease)")],
    tests: [RESTART],
  },
  {
    name: "legs: answered for anybody",
    breaks: "A round brought in another principal's name goes on with the call.",
    invariant: "D2",
    edits: [
      edit(
        "src/core/identity.ts",
        "JSON.stringify([tag, principal, call, question.kind])",
        `JSON.stringify([tag, call, question.kind, principal && ""])`,
      ),
    ],
    tests: [RESTART],
  },
  {
    name: "legs: no loss concerns a round",
    breaks: "After a loss, a round whose question is not on record any more is sent as a call of its own.",
    invariant: "I7",
    edits: [
      edit(
        "src/core/loss.ts",
        "leg === undefined ? { maxAge } : { issuedAt: LONG_AGO, maxAge: Number.MAX_SAFE_INTEGER }",
        "{ maxAge }",
      ),
    ],
    tests: ["test/model/rounds.test.ts"],
  },
  {
    name: "legs: a lost question is a doubt",
    breaks: "After a loss, a round without its question is recorded under an id that no look and no key finds.",
    invariant: "I7",
    edits: [edit("src/core/loss.ts", "leg === undefined || issuedAt !== undefined;", "true;")],
    tests: ["test/model/rounds.test.ts"],
  },
  {
    name: "legs: a declined round closes the call",
    breaks: "A rejection of the last round is taken for a rejection of the call.",
    invariant: "I6",
    edits: [edit("src/core/legs.ts", "? evidence : ofLeg(evidence)", "? evidence : evidence")],
    tests: ["test/e2e/tap/legs.test.ts"],
  },
  {
    name: "legs: a round that was not handed over frees the call",
    breaks: "That the last round provably did nothing is taken for proof that the call did nothing.",
    invariant: "I6",
    edits: [
      edit(
        "src/core/legs.ts",
        `isLeg(record) ? { type: "unsent_leg", ...ref }`,
        `isLeg(record) ? { type: "unsent", ...ref }`,
      ),
    ],
    tests: [RESTART],
  },
];
