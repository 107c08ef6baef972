/** Words that stores, logs, alarms and other people's code depend on. A change here is a change for users. */
import { expect, it } from "vitest";
import { CLASSIFICATION } from "../../src/core/classification-table.ts";
import { CONTRACT_OBSTACLES } from "../../src/core/contract.ts";
import { REASONS, REFUSALS } from "../../src/core/reasons.ts";
import { BASES, OPEN_STATES, SETTLED_STATES } from "../../src/core/terms.ts";
import { TRANSITIONS } from "../../src/core/transitions.ts";
import { ERROR_CODES } from "../../src/errors.ts";
import type { GuardEvents } from "../../src/events.ts";

it("states", () => {
  expect(OPEN_STATES).toEqual(["ready", "in_flight", "uncertain", "unresolved"]);
  expect(SETTLED_STATES).toEqual(["succeeded", "failed", "rejected", "applied", "not_applied", "partial", "abandoned"]);
});

it("bases: why a send is allowed (C03, I2)", () => {
  expect(BASES).toEqual(["first", "unsent", "rejected", "contract", "observed_absent", "operator"]);
});

it("error codes", () => {
  expect(ERROR_CODES).toMatchInlineSnapshot(`
    [
      "CONFIG_INVALID",
      "CONTRACT_INVALID",
      "CONTRACT_SUSPENDED",
      "CALL_REFUSED",
      "OUTCOME_UNCERTAIN",
      "STORE_UNAVAILABLE",
      "OUTCOME_UNRECORDED",
      "LEASE_LOST",
      "RECONCILE_FAILED",
      "RESOLUTION_CONFLICT",
      "STORE_INCOMPATIBLE",
      "STORE_LOSS",
    ]
  `);
});

it("reason codes", () => {
  expect(Object.keys(REASONS)).toMatchInlineSnapshot(`
    [
      "silence",
      "tool_error",
      "tool_error_open",
      "declared_uncertain",
      "declared_no_effect",
      "declared_retryable",
      "echo_broken",
      "result_unknown_type",
      "error_other",
      "error_rejecting",
      "error_foreign",
      "http_other",
      "http_rejecting",
      "http_challenge",
      "http_declared",
      "unlisted",
      "task_running",
      "task_overdue",
      "task_input_required",
      "task_not_asked",
      "task_cancelled",
      "task_unknown",
      "input_required",
      "input_not_given",
      "too_many_rounds",
      "owner_gone",
      "earlier_attempt_open",
      "permit_lapsed",
      "contract_suspended",
      "store_loss",
      "intent_too_old",
      "probe_unclear",
      "no_way_to_find_out",
      "settle_not_declared",
      "probes_used_up",
      "never_sent",
      "not_sent_again",
      "withdrawn",
      "observed_absent",
      "operator_verdict",
      "operator_correction",
      "partly_applied",
      "success_after_no_effect",
      "second_success",
      "more_effects_than_one",
      "not_shown_after_success",
      "already_there",
      "reference_claimed_twice",
      "nobody_could_look",
    ]
  `);
});

it("refusal codes", () => {
  expect(Object.keys(REFUSALS)).toMatchInlineSnapshot(`
    [
      "undeclared_tool",
      "not_json",
      "too_large",
      "invalid_arguments",
      "other_arguments",
      "held_different_arguments",
      "not_as_shown",
      "lapsed",
      "aborted",
      "answer_not_sent",
      "question_lost",
      "store_unavailable",
      "key_not_placeable",
      "closed",
      "confirm_repeat",
      "task_not_supported",
    ]
  `);
});

it("obstacles of contracts", () => {
  expect(Object.keys(CONTRACT_OBSTACLES)).toMatchInlineSnapshot(`
    [
      "not_pinned",
      "catalogue_unknown",
      "drift",
      "expired",
      "suspended",
      "tool_gone",
      "card_missing",
    ]
  `);
});

it("rows of the state machine, as histories and events name them", () => {
  expect(TRANSITIONS.map(({ id }) => id)).toMatchInlineSnapshot(`
    [
      "adopt",
      "submit",
      "issue",
      "start",
      "resend",
      "renew",
      "leg",
      "next_leg",
      "unsent_leg",
      "task_created",
      "task_created_late",
      "task_working",
      "task_overdue",
      "task_lost",
      "unsent",
      "unsent_late",
      "ok",
      "ok_enrich",
      "ok_second",
      "ok_conflict",
      "answered_error",
      "rejected",
      "rejected_retryable",
      "doubt",
      "question_over",
      "lease_over",
      "store_loss",
      "store_loss_queued",
      "give_up",
      "withdraw",
      "permit_over",
      "suspend",
      "present",
      "partial",
      "absent",
      "probe_fail",
      "escalate",
      "operator_applied",
      "operator_absent",
      "operator_resend",
      "operator_abandon",
      "correct",
      "reopen",
      "watch_over",
      "deliver",
      "hold_over",
      "legs_over",
    ]
  `);
});

it("rows of the classification, as histories name them", () => {
  expect(CLASSIFICATION.map(({ id }) => id)).toMatchInlineSnapshot(`
    [
      "not_sent",
      "result",
      "result_input_required",
      "result_task",
      "error_url_elicitation",
      "declared_no_effect",
      "declared_retryable",
      "error_rejecting",
      "http_challenge",
      "http_rejecting",
      "http_declared",
      "already_there",
      "tool_error",
      "tool_error_open",
      "declared_uncertain",
      "echo_broken",
      "result_unknown_type",
      "error_other",
      "error_foreign",
      "http_other",
      "silence",
    ]
  `);
});

it("events of a guard", () => {
  const events = {
    outcome: true,
    transition: true,
    late: true,
    conflict: true,
    queued: true,
    aged: true,
    drift: true,
    contradiction: true,
    suspended: true,
    lifted: true,
    observed: true,
    unrecorded: true,
    changed_arguments: true,
    warning: true,
  } satisfies Record<keyof GuardEvents, true>;
  expect(Object.keys(events)).toHaveLength(14);
});
