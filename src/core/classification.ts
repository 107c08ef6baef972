/** Runs the classification table: the verdict on one attempt, by its most doubtful row. */
import { CLASSIFICATION, type ClassificationRow, type Verdict } from "./classification-table.ts";
import { declaredError, declaredStatus, type Situation, taskOf } from "./evidence.ts";
import { LONGEST_TASK_ID, pollWish } from "./tasks.ts";
import type { WireEvidence } from "./terms.ts";

/** Least to most doubtful. */
const DOUBTFULNESS: readonly Verdict["kind"][] = [
  "succeeded",
  "unsent",
  "task",
  "paused",
  "already_there",
  "rejected",
  "answered_error",
  "uncertain",
];

/** @example classify({ kind: "silence", cause: "deadline" }, situation) // { kind: "uncertain", row: "silence", answered: false } */
export function classify(evidence: WireEvidence, situation: Situation): Verdict {
  const matching = CLASSIFICATION.filter((row) => row.matches(evidence, situation));
  const row = matching.reduce<ClassificationRow | undefined>(
    (worst, next) => (worst && DOUBTFULNESS.indexOf(worst.means) >= DOUBTFULNESS.indexOf(next.means) ? worst : next),
    undefined,
  );
  return row ? verdictOf(row, evidence, situation) : { kind: "uncertain", row: "unlisted", answered: false };
}

function verdictOf(row: ClassificationRow, evidence: WireEvidence, situation: Situation): Verdict {
  switch (row.means) {
    case "answered_error":
      return { kind: row.means, row: row.id, settles: !situation.canFindOut };
    case "rejected": {
      const declaredRetryable = declaredError(evidence, situation)?.means === "retryable";
      const byStatus = evidence.kind === "http_status" && declaredStatus(evidence, situation);
      const after = evidence.kind === "http_status" ? evidence.retryAfter : undefined;
      return {
        kind: row.means,
        row: row.id,
        retryable: declaredRetryable || byStatus,
        ...(after !== undefined && { retryAfter: after }),
      };
    }
    case "task": {
      const task = taskOf(evidence) ?? "";
      // Without a handle to ask for, it is doubt like any other.
      if (task === "" || task.length > LONGEST_TASK_ID)
        return { kind: "uncertain", row: "task_running", answered: false };
      const pollIn = evidence.kind === "result" ? pollWish(evidence.result) : undefined;
      return { kind: row.means, row: row.id, task, ...(pollIn !== undefined && { pollIn }) };
    }
    case "unsent":
      return {
        kind: row.means,
        row: row.id,
        retryable: evidence.kind === "not_sent" && RETRYABLE_CAUSES.includes(evidence.cause),
      };
    case "uncertain":
      return { kind: row.means, row: row.id, answered: evidence.kind === "result" };
    default:
      return { kind: row.means, row: row.id };
  }
}

const RETRYABLE_CAUSES: readonly string[] = ["not_connected", "connection_refused", "name_not_resolved"];
