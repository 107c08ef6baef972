/**
 * Wrong versions of the core and the engine. Each drops one rule; the named test files must notice. Texts are replaced
 * exactly, so a change of the source that moves one of them stops the run: then look whether the rule still holds.
 */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface Mutant {
  readonly name: string;
  /** What the mutant does wrong, in one sentence. */
  readonly breaks: string;
  /** The invariant or requirement. */
  readonly invariant: string;
  readonly edits: readonly Edit[];
  /** Test files that must fail. */
  readonly tests: readonly string[];
}

const RESENDS = "test/model/resends.test.ts";
const OUTCOMES = "test/model/outcomes.test.ts";
const PROMISES = "test/core/promises.test.ts";
const PLACEMENT = "test/core/placement.test.ts";
const ADMISSION = "test/core/admission.test.ts";
const CONTRACT = "test/core/contract.test.ts";
const MEMORY = "test/conformance/memory.test.ts";
const STORE_LOSS = "test/model/store-loss.test.ts";

const GUARDS = "src/core/lifecycle-guards.ts";
const EFFECTS = "src/core/lifecycle-effects.ts";

export const edit = (file: string, find: string, replace: string): Edit => ({ file, find, replace });

export const MUTANTS: readonly Mutant[] = [
  {
    name: "lease reclaim",
    breaks: "A lease that ends makes the operation free to be sent again, as a lock with a time to live does.",
    invariant: "I2",
    edits: [
      edit(
        EFFECTS,
        `return uncertain(gone, Math.max(end, record.quiesceAt ?? 0), "owner_gone", lookIn);`,
        `return ready(gone, { basis: "first", until: end + 600_000 });`,
      ),
    ],
    tests: [RESENDS],
  },
  {
    name: "no fence",
    breaks: "Any attempt may speak for the newest one: an older worker's time-out or rejection moves the record.",
    invariant: "I1",
    edits: [
      edit(
        GUARDS,
        "attemptOf(event)?.attempt === record.attempts && tokenFits(record, event)",
        "tokenFits(record, event)",
      ),
    ],
    tests: [PROMISES],
  },
  {
    name: "no version compare",
    breaks: "A write replaces whatever version it finds.",
    invariant: "I3",
    edits: [
      edit(
        "adapters/stores/memory/steps.ts",
        `if (record.version !== request.expect) return { kind: "stale", now, record };`,
        "",
      ),
    ],
    tests: [MEMORY],
  },
  {
    name: "decision on a stale version",
    breaks: "A person's decision counts for a version that the person never saw.",
    invariant: "I3",
    edits: [
      edit("src/ledger.ts", "if (expect !== undefined && operation.version !== expect) {", "if (false as boolean) {"),
    ],
    tests: [OUTCOMES],
  },
  {
    name: "reject on resend closes the operation",
    breaks: "A rejection of the second attempt is taken for a rejection of the first.",
    invariant: "I6",
    edits: [edit(EFFECTS, "if (less.open > 0 && !event.authoritative) {", "if (false as boolean) {")],
    tests: [OUTCOMES],
  },
  {
    name: "window ignored",
    breaks: "A contract allows resends for ever.",
    invariant: "I2",
    edits: [
      edit(GUARDS, "now + event.contract.margin < record.issuedAt + event.contract.window &&", ""),
      edit(
        "src/permits.ts",
        "Math.min(issuedAt + terms.window - terms.margin, issuedAt + limits.validFor)",
        "issuedAt + limits.validFor",
      ),
    ],
    tests: [RESENDS],
  },
  {
    name: "window without margin",
    breaks: "A resend may start just before the destination forgets, and land after.",
    invariant: "I2",
    edits: [
      edit(GUARDS, "now + event.contract.margin < record.issuedAt", "now < record.issuedAt"),
      edit("src/permits.ts", "terms.window - terms.margin", "terms.window"),
    ],
    tests: [RESENDS],
  },
  {
    name: "window from the record's birth",
    breaks: "A record that was born anew after a loss starts the contract's window anew.",
    invariant: "I7",
    edits: [edit(EFFECTS, "issuedAt: event.issuedAt ?? after(0),", "issuedAt: after(0),")],
    tests: [RESENDS],
  },
  {
    name: "no permit age",
    breaks: "The first permit of an old intent is as good as new.",
    invariant: "I2",
    edits: [
      edit(
        EFFECTS,
        "until: issuedAt === undefined ? after(limits.validFor) : issuedAt + limits.validFor",
        "until: issuedAt === undefined ? after(limits.validFor) : after(limits.validFor)",
      ),
    ],
    tests: [RESENDS],
  },
  {
    name: "old basis",
    breaks: "An automatic basis never lapses: an old intent is carried out late.",
    invariant: "I2",
    edits: [
      edit(
        GUARDS,
        "basis_fresh: (record, _event, now) => now < record.issuedAt + record.limits.validFor",
        "basis_fresh: () => true",
      ),
    ],
    tests: [PROMISES],
  },
  {
    name: "serial ignored",
    breaks: "A destination that is not safe under overlapping repeats gets them at once.",
    invariant: "I2",
    edits: [
      edit(
        GUARDS,
        "(!event.contract.serial || (believable(record) && !taskOpen(record) && quiesced(record, event, now)))",
        "true",
      ),
    ],
    tests: [RESENDS],
  },
  {
    name: "early evidence",
    breaks: "An absence counts although the write may still be under way.",
    invariant: "I2",
    edits: [edit(GUARDS, "event.readAt >= (record.quiesceAt ?? 0) + record.limits.staleness &&", "")],
    tests: [RESENDS],
  },
  {
    name: "no settle",
    breaks: "A time-out starts no settle window.",
    invariant: "I2",
    edits: [
      edit(
        EFFECTS,
        "  doubt: (record, event, now) => {\n    const settle = event.answered ? settleOfAnswered(record) : record.limits.settle;",
        "  doubt: (record, event, now) => {\n    const settle = 0;",
      ),
    ],
    tests: [RESENDS],
  },
  {
    name: "settle not declared",
    breaks: "An absence is believed of a tool whose lateness nobody knows.",
    invariant: "I2",
    edits: [edit(GUARDS, "record.limits.settleDeclared || record.answered === true;", "true;")],
    tests: [PROMISES],
  },
  {
    name: "one absent read is enough",
    breaks: "The first absence settles, whatever `absentReads` says.",
    invariant: "I2",
    edits: [edit(EFFECTS, "if (seen < limits.absentReads) {", "if (false as boolean) {")],
    tests: [PROMISES],
  },
  {
    name: "expiry of unresolved",
    breaks: "Every record expires, also one in doubt.",
    invariant: "I4",
    edits: [
      edit("src/core/placement.ts", "return mayExpire(record) ? { due,", "return mayExpire(record) || true ? { due,"),
    ],
    tests: [PLACEMENT],
  },
  {
    name: "hold not taken",
    breaks: "A call does not look whether another one of its kind is open.",
    invariant: "I1",
    edits: [edit("src/ledger.ts", "blockedBy: options.ignoreHolds ? [] : blockers(keys, call),", "blockedBy: [],")],
    tests: [OUTCOMES],
  },
  {
    name: "delivered not required",
    breaks: "A hold ends at settlement, although nobody received the result.",
    invariant: "I1",
    edits: [
      edit("src/core/placement.ts", "return record.delivered ? repeats(record) : true;", "return repeats(record);"),
    ],
    tests: [OUTCOMES],
  },
  {
    name: "delivered by a stranger",
    breaks: "A call with other arguments that was only told of a result takes delivery of it.",
    invariant: "I1",
    edits: [edit("src/deliveries.ts", " || differentArguments || kind !== operation.record.state", "")],
    tests: [OUTCOMES],
  },
  {
    name: "hint permits",
    breaks: "A tool that calls itself read-only is sent without a record and repeated.",
    invariant: "I9",
    edits: [
      edit(
        "src/guard.ts",
        `const read = declared.effect === "read";`,
        `const read = declared.effect === "read" || (catalog as never as { hint(...a: string[]): boolean }).hint(call.server, call.tool);`,
      ),
      edit(
        "src/catalog.ts",
        "    hasOutputSchema: (server, tool) =>",
        "    hint: (server: string, tool: string) => (find(server, tool)?.definition.annotations as { readOnlyHint?: boolean })?.readOnlyHint,\n    hasOutputSchema: (server, tool) =>",
      ),
    ],
    tests: ["test/cases/c1-lying-hints.test.ts"],
  },
  {
    name: "late answer dropped",
    breaks: "An answer after the deadline is thrown away.",
    invariant: "I12",
    edits: [edit("src/attempt.ts", "answer.then(plan.late);", "")],
    tests: [OUTCOMES],
  },
  {
    name: "spool not read",
    breaks: "Outcomes that the store could not take are forgotten when the process ends.",
    invariant: "I12",
    edits: [edit("src/create-guard.ts", "      await journal.drain();\n", "")],
    tests: [OUTCOMES],
  },
  {
    name: "mismatch not refused",
    breaks: "The same operation id with other arguments is answered with the first one's outcome.",
    invariant: "I10",
    edits: [
      edit(
        "adapters/stores/memory/steps.ts",
        `if (record.digest !== request.digest) return { kind: "mismatch", now, record };`,
        "",
      ),
    ],
    tests: [OUTCOMES],
  },
  {
    name: "outcome of other arguments",
    breaks: "A call with other arguments is given the result of the one that holds it.",
    invariant: "I10",
    edits: [
      edit(
        "src/core/admission.ts",
        `when: "equal arguments, outcome not yet received or inside the repeat window",\n    step: "recall",\n    holds: (_r, f) => f.sameDigest,`,
        `when: "",\n    step: "recall",\n    holds: always,`,
      ),
    ],
    tests: [ADMISSION],
  },
  {
    name: "fail open",
    breaks: "A call that the store cannot record is sent all the same.",
    invariant: "I11",
    edits: [
      edit(
        "src/guard.ts",
        `return refusedOutcome(call, "store_unavailable", (error as Error).message);`,
        `const cancel = new AbortController().signal;
    const bare = { operation: "", tool: call.tool, number: 1, arguments: call.arguments as never, cancel };
    await wire.send({ ...bare, mayStart: () => true, progressed() {}, waiting() {} } as never);
    return refusedOutcome(call, "store_unavailable", (error as Error).message);`,
      ),
    ],
    tests: [RESENDS],
  },
  {
    name: "contract pin ignored",
    breaks: "A contract stays in force for a tool that is no longer the reviewed one.",
    invariant: "S22",
    edits: [
      edit(
        "src/core/contract.ts",
        `return facts.live === contract.pin.tool ? undefined : "drift";`,
        "return undefined;",
      ),
    ],
    tests: ["test/contracts/resend-conditions.test.ts"],
  },
  {
    name: "unreviewed contract",
    breaks: "A contract without a pin is in force.",
    invariant: "S22",
    edits: [
      edit("src/core/contract.ts", `if (!contract.pin) return "not_pinned";`, "if (!contract.pin) return undefined;"),
    ],
    tests: [CONTRACT],
  },
  {
    name: "suspension ignored",
    breaks: "A contract that was suspended still allows resends.",
    invariant: "S23",
    edits: [edit("src/core/contract.ts", `if (facts.suspended) return "suspended";`, "")],
    tests: [RESENDS],
  },
  {
    name: "permit spent twice",
    breaks: "The permit stays on record after it was spent.",
    invariant: "I2",
    edits: [edit(EFFECTS, `"permit", "spent",`, `"spent",`)],
    tests: [RESENDS],
  },
  {
    name: "key random per attempt",
    breaks: "Each attempt has a key of its own, so the destination cannot know the repeat.",
    invariant: "I2",
    edits: [
      edit(
        "src/drive.ts",
        "dedupKey(parts.runtime.keys(), operation.id)",
        "dedupKey(parts.runtime.keys(), operation.id + newKey++)",
      ),
      edit("src/drive.ts", "type Sent =", "let newKey = 0;\ntype Sent ="),
    ],
    tests: [RESENDS],
  },
  {
    name: "isError counted as rejected",
    breaks: "A tool error is taken for proof that nothing was written.",
    invariant: "I9",
    edits: [
      edit(
        "src/core/classification-table.ts",
        `means: "answered_error",
    matches: (e, s) => undeclaredToolError(e, s) && s.canFindOut,`,
        `means: "rejected",
    matches: (e, s) => undeclaredToolError(e, s) && s.canFindOut,`,
      ),
    ],
    tests: [OUTCOMES],
  },
  {
    name: "doubt not in due index",
    breaks: "A record in doubt is in no index: nobody looks, nobody is told.",
    invariant: "I5",
    edits: [
      edit(
        "src/core/placement.ts",
        `case "uncertain":\n      return record.lookAt ?? { after: 0 };`,
        `case "uncertain":\n      return null;`,
      ),
    ],
    tests: [RESENDS],
  },
  {
    name: "loss not asked",
    breaks: "An intent from before a known loss is begun like a new one.",
    invariant: "I7",
    edits: [
      edit(
        "adapters/stores/memory/steps.ts",
        `if (issuedAt <= (state.lossAt ?? -1)) return { kind: "suspect", now, because: "store_loss" };`,
        "",
      ),
    ],
    tests: [OUTCOMES],
  },
  {
    name: "loss without margin",
    breaks: "An intent from before a loss, whose issuer's clock was ahead, is taken for one that came after it.",
    invariant: "I7",
    edits: [edit("src/core/loss.ts", "issuedAt - clockSkew", "issuedAt")],
    tests: [STORE_LOSS],
  },
  {
    name: "absence by a mask believed",
    breaks: "A hook that looked by a masked argument finds nothing, and the next call sends again.",
    invariant: "I2",
    edits: [
      edit(
        "src/core/looks.ts",
        "if (masked === undefined || !saysAbsent(observation)) return",
        "if (observation) return",
      ),
    ],
    tests: ["test/review/masked-names.test.ts"],
  },
  {
    name: "relayed status trusted",
    breaks: "A status that a function handed on is read as if the whole call had been refused.",
    invariant: "I9",
    edits: [
      edit(
        "src/core/classification-table.ts",
        'e.kind === "http_status" && e.relayed !== true && REJECTING_STATUSES',
        'e.kind === "http_status" && REJECTING_STATUSES',
      ),
    ],
    tests: ["test/review/function-answers.test.ts"],
  },
  {
    name: "own id shares the outcome",
    breaks: "A call with an operation id of its own gets the outcome of an equal call that it waited for.",
    invariant: "I1",
    edits: [edit("src/core/admission.ts", 'relation === "same" || !ownId || isRound', "true")],
    tests: [OUTCOMES],
  },
  {
    name: "gate always open",
    breaks: "A frame is handed over although the lease may be over.",
    invariant: "I1",
    edits: [edit("src/attempt.ts", "!lease.held() || ", "")],
    tests: [RESENDS],
  },
  {
    name: "gate does not look at the record",
    breaks: "A resend goes out although the answer of the first attempt has settled the operation meanwhile.",
    invariant: "I1",
    edits: [edit("src/attempt.ts", "held: () => running() && ", "held: () => ")],
    tests: [RESENDS],
  },
  {
    name: "operator before quiescence",
    breaks: "A person's word counts while the write may still be under way, without an override.",
    invariant: "I2",
    edits: [
      edit(
        GUARDS,
        "quiesced_or_override: (record, event, now) => overridden(event) || quiesced(record, event, now)",
        "quiesced_or_override: () => true",
      ),
    ],
    tests: [OUTCOMES],
  },
  {
    name: "unsent resend closes the first attempt",
    breaks: "A resend that was never handed over gives a permit while the first attempt is still open.",
    invariant: "I2",
    edits: [
      edit(
        EFFECTS,
        `if (less.open > 0) return uncertain(less, later(record.quiesceAt, 0, now), "earlier_attempt_open");\n  const until`,
        "const until",
      ),
    ],
    tests: [PROMISES],
  },
  {
    name: "believes what a loss left",
    breaks: "A record that a known loss of the store took back to an older version is taken for the newest one.",
    invariant: "I2",
    edits: [edit("src/core/loss.ts", "at > lossAt || isSettled", "at >= 0 || isSettled")],
    tests: [STORE_LOSS],
  },
  {
    name: "old handle fits after a loss",
    breaks: "A swap that was decided before a loss of the store is written when only its version number fits.",
    invariant: "I2",
    edits: [
      edit(
        "adapters/stores/memory/steps.ts",
        `if (request.lossAt !== state.lossAt) return { kind: "stale", now, record };`,
        "",
      ),
    ],
    tests: [MEMORY],
  },
  {
    name: "resends what a loss put in doubt",
    breaks: "After a loss a contract or an observed absence sends again what the caller may have been told is closed.",
    invariant: "I2",
    edits: [
      edit(GUARDS, "nothing_lost: (record) => record.lossAt === undefined", "nothing_lost: () => true"),
      edit(EFFECTS, "    record.lossAt === undefined &&\n", ""),
    ],
    tests: [STORE_LOSS],
  },
  {
    name: "a loss takes the call from its driver",
    breaks: "An attempt in flight, of which a loss took nothing, is no longer its driver's.",
    invariant: "I12",
    edits: [
      edit(
        "src/core/loss.ts",
        "return isOwn && isLeased && (first ||",
        "return false && isOwn && isLeased && (first ||",
      ),
    ],
    tests: [STORE_LOSS],
  },
];
