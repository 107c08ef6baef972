/** Reasons to believe in a contract, each dropped once: baseline, hints, probes, cards. */
import { edit, type Mutant } from "./mutants.ts";

const CONDITIONS = "test/contracts/resend-conditions.test.ts";
const DRIFT = "test/contracts/drift.test.ts";

export const TRUST_MUTANTS: readonly Mutant[] = [
  {
    name: "trust: suspension unseen",
    breaks: "The list of suspensions is not looked at before a resend.",
    invariant: "S22",
    edits: [edit("src/permits.ts", "suspended: parts.standing.isSuspended(server, tool),", "suspended: false,")],
    tests: [CONDITIONS],
  },
  {
    name: "trust: a gap between two suspensions",
    breaks: "A suspension that takes another's place is made after that one was lifted.",
    invariant: "S22",
    edits: [
      edit(
        "src/standing.ts",
        "stands = await store.suspend(entry, stands);",
        "{ await store.lift(entry.server, entry.tool); stands = await store.suspend(entry); }",
      ),
    ],
    tests: ["test/contracts/review-suspensions.test.ts"],
  },
  {
    name: "trust: lifting whatever stands",
    breaks: "What lifts itself lifts a suspension that took its place meanwhile.",
    invariant: "S22",
    edits: [edit("src/standing.ts", "store.lift(server, tool, only)", "store.lift(server, tool)")],
    tests: ["test/contracts/review-suspensions.test.ts"],
  },
  {
    name: "trust: pin not compared",
    breaks: "A contract is in force whatever the live definition is.",
    invariant: "S22",
    edits: [
      edit(
        "src/core/contract.ts",
        `return facts.live === contract.pin.tool ? undefined : "drift";`,
        "return undefined;",
      ),
      edit(
        "src/drift-watch.ts",
        "    if (!suspends || sights.has(sight)) return;",
        "    if (suspends || !suspends) return;",
      ),
    ],
    tests: [CONDITIONS],
  },
  {
    name: "trust: announced change ignored",
    breaks: "A list that the server says has changed counts as current.",
    invariant: "S22",
    edits: [edit("src/catalog.ts", "for (const listing of all(server)) forget(listing);", "void server;")],
    tests: [CONDITIONS],
  },
  {
    name: "trust: a late list is current",
    breaks: "A list that was asked for before a change was announced, and comes after it, counts as current.",
    invariant: "S22",
    edits: [edit("src/catalog.ts", "page?.asked === undefined || page.asked === changes(server)", "page !== null")],
    tests: ["test/contracts/outdated-lists.test.ts"],
  },
  {
    name: "trust: removal unnoticed",
    breaks: "A reviewed tool that a whole list does not have is no drift.",
    invariant: "S22",
    edits: [
      edit(
        "src/drift-watch.ts",
        "for (const drift of catalogue ? removals(catalogue, whole) : [])",
        "for (const drift of [] as Drift[])",
      ),
    ],
    tests: [DRIFT],
  },
  {
    name: "trust: one page is the list",
    breaks: "A first page counts as the whole list: tools on later pages look removed.",
    invariant: "S22",
    edits: [edit("src/catalog.ts", "if (page.nextCursor !== undefined) {", "if (page.nextCursor === null) {")],
    tests: [DRIFT],
  },
  {
    name: "trust: drifted read goes on",
    breaks: "A read whose definition changed is still repeated and not recorded.",
    invariant: "S05",
    edits: [
      edit(
        "src/guard.ts",
        "if (read && (await parts.standing.isInForce(call.server, call.tool))) {",
        "if (read || (await parts.standing.isInForce(call.server, call.tool)) === undefined) {",
      ),
    ],
    tests: [DRIFT],
  },
  {
    name: "trust: any item matches",
    breaks: "A probe takes any item of the answer for the effect.",
    invariant: "S16",
    edits: [
      edit(
        "src/probe/probe.ts",
        "const matches = matching(seen.items, where(intent, baseline));",
        "where(intent, baseline);\n    const matches = seen.items;",
      ),
    ],
    tests: ["test/contracts/probe.test.ts"],
  },
  {
    name: "trust: another form is absence",
    breaks: "An answer that has nothing where the items should be says that the effect is not there.",
    invariant: "S16",
    edits: [
      edit(
        "src/probe/match.ts",
        `if ((found === undefined || found === null) && place.missing !== "absent") {`,
        `if (found === false && place.missing === undefined) {`,
      ),
    ],
    tests: ["test/contracts/probe.test.ts"],
  },
  {
    name: "trust: lock unsealed",
    breaks: "A lock that was edited by hand is taken.",
    invariant: "S22",
    edits: [edit("src/lock.ts", "if (lock.digest !== digestOf(lock.servers))", "if (lock.digest === digestOf({}))")],
    tests: ["test/contracts/lock.test.ts"],
  },
  {
    name: "trust: card without control",
    breaks: "A card passes although its look could never have seen two effects.",
    invariant: "S24",
    edits: [
      edit("src/card.ts", `  if (of("once") === "inconclusive") return "inconclusive";`, ""),
      edit("src/card.ts", `if (of("once") !== "failed" && of("control") !== "passed") return "inconclusive";`, ""),
      edit(
        "src/card.ts",
        `return sound && !trials.some(({ verdict }) => verdict === "inconclusive") ? "passed" : "inconclusive";`,
        `return sound || !sound ? "passed" : "inconclusive";`,
      ),
    ],
    tests: ["test/contracts/card.test.ts"],
  },
  {
    name: "trust: late repeats unseen",
    breaks: "A card counts effects only once: what a repeat does later is not seen.",
    invariant: "S24",
    edits: [edit("src/card-run.ts", "...(await judgedAgain(each, waited))", "...each")],
    tests: ["test/contracts/card.test.ts"],
  },
  {
    name: "trust: failed card counts",
    breaks: "A contract stays in force on a card that failed.",
    invariant: "S24",
    edits: [edit("src/card-citations.ts", `if (card.verdict !== "passed")`, `if (card.verdict === undefined)`)],
    tests: ["test/contracts/card.test.ts"],
  },
  {
    name: "trust: production test",
    breaks: "A card is made by writing again and again to a server that is no test environment.",
    invariant: "S24",
    edits: [edit("src/card.ts", `if (declared?.environment !== "test") {`, `if (declared?.environment === "") {`)],
    tests: ["test/contracts/card.test.ts"],
  },
];
