/** Wrong versions of what is made of tasks. */
import { edit, type Mutant } from "./mutants.ts";

const READING = "test/core/tasks.test.ts";
const FOLLOWING = "test/review/tasks.test.ts";

export const TASK_MUTANTS: readonly Mutant[] = [
  {
    name: "task: a cancellation is an answer",
    breaks: "A task that was cancelled counts as a tool error: its effect is taken for settled.",
    invariant: "I9",
    edits: [
      edit(
        "src/core/tasks.ts",
        `return { kind: "lost", reason: "task_cancelled" };`,
        `return { kind: "answer", evidence: failure({ message: "cancelled" }) };`,
      ),
    ],
    tests: [READING],
  },
  {
    name: "task: unknown is not done",
    breaks: "A server that forgot its task is believed that the call was rejected.",
    invariant: "I9",
    edits: [
      edit(
        "src/core/tasks.ts",
        `return knows ? { kind: "nothing" } : { kind: "lost", reason: "task_unknown" };`,
        `return knows ? { kind: "nothing" } : { kind: "answer", evidence };`,
      ),
    ],
    tests: [READING],
  },
  {
    name: "task: a handle after the deadline is forgotten",
    breaks: "The way on which a late handle came is not kept: nobody asks for the end of its task.",
    invariant: "I5",
    edits: [
      edit(
        "src/verdicts.ts",
        `if (verdict.kind === "task") keepTaskWire(parts.taskWires, operation.id, run.wire);`,
        "void keepTaskWire;",
      ),
    ],
    tests: [FOLLOWING],
  },
  {
    name: "task: without word for ever",
    breaks: "A task that gives no word is looked into for ever where there is a hook, and no person hears of it.",
    invariant: "I5",
    edits: [
      edit(
        "src/tasks.ts",
        `if (await overdue(parts, operation, "task_not_asked", pollAfter(Number.POSITIVE_INFINITY))) return "done";`,
        "",
      ),
    ],
    tests: [FOLLOWING],
  },
  {
    name: "task: a person's time counts",
    breaks: "The deadline runs on while a person answers what the task waits for.",
    invariant: "W1-07",
    edits: [edit("src/tasks.ts", "budget.waiting(waits);", "budget.waiting(false);")],
    tests: [FOLLOWING],
  },
  {
    name: "task: absence while it runs",
    breaks: "An absence counts although the task may still write.",
    invariant: "I2",
    edits: [edit("src/core/lifecycle-guards.ts", "    !taskOpen(record) &&\n    event.readAt", "    event.readAt")],
    tests: [FOLLOWING],
  },
];
