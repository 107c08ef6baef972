/**
 * Closed list of reasons, each with a sentence for people and one for the model. The model's sentence says what is
 * known and what not to do. It never says "try again", never names an operator's command, and never contains a text
 * that frameworks search for when they decide to repeat a call.
 */
export interface Reason {
  /** For the operator: the queue, logs, errors. */
  readonly person: string;
  /** For the model: appended to what it reads. */
  readonly model: string;
}

const MAY_HAVE = "The action may already have taken effect.";

export const REASONS = {
  silence: {
    person: "No answer came that counts: deadline, abort, stream or connection end, or an unreadable answer.",
    model: `No answer was received from the tool. ${MAY_HAVE}`,
  },
  tool_error: {
    person: "The tool answered with an error; whether it wrote anything first is unclaimed.",
    model: "The tool reported an error. An error report does not show whether the action took effect.",
  },
  tool_error_open: {
    person: "The tool answered with an error; the destination is asked what really happened.",
    model: `The tool reported an error, which does not show whether the action took effect. ${MAY_HAVE}`,
  },
  declared_uncertain: {
    person: "The answer is one that the operator declared to prove nothing.",
    model: `The tool's answer does not show whether the action took effect. ${MAY_HAVE}`,
  },
  declared_no_effect: {
    person: "The answer is one that the operator declared to mean: nothing was done.",
    model: "The tool declined; nothing was done.",
  },
  declared_retryable: {
    person: "The answer is one that the operator declared to mean: nothing was done, it may be sent again.",
    model: "The tool declined for now; nothing was done.",
  },
  echo_broken: {
    person: "The result names other values than the arguments: it may belong to another call.",
    model: `The tool's answer does not match the request. ${MAY_HAVE}`,
  },
  result_unknown_type: {
    person: "The result has a type that this version does not know.",
    model: `The tool's answer could not be understood. ${MAY_HAVE}`,
  },
  error_other: {
    person: "The server answered with an error that does not say whether the work was done.",
    model: `The server reported an internal problem. ${MAY_HAVE}`,
  },
  error_rejecting: {
    person: "The server did not accept the request: unknown method or tool, invalid request or arguments.",
    model: "The server did not accept the request; nothing was done.",
  },
  error_foreign: {
    person: "An error without this call's id arrived: a hint, no proof.",
    model: `No answer was received from the tool. ${MAY_HAVE}`,
  },
  http_other: {
    person: "An HTTP status that can be sent after the work was done.",
    model: `The server or something in front of it answered with an error page. ${MAY_HAVE}`,
  },
  http_rejecting: {
    person: "An HTTP status that is sent before any work.",
    model: "The server did not accept the request; nothing was done.",
  },
  http_challenge: {
    person: "The server asks for authorization first.",
    model: "The server asks for authorization; nothing was done.",
  },
  http_declared: {
    person: "An HTTP status that this server sends before any work, by the operator's declaration.",
    model: "The server declined for now; nothing was done.",
  },
  unlisted: {
    person: "Evidence that no rule lists.",
    model: `No usable answer was received from the tool. ${MAY_HAVE}`,
  },
  task_running: {
    person: "The destination works on it as a task of its own; how that ended is not known here.",
    model: `The tool went on with the action in the background, and its end is not known. ${MAY_HAVE}`,
  },
  task_overdue: {
    person:
      "The destination still works on it as a task, for longer than `taskFor` allows; it is asked again each minute.",
    model: "The tool still works on the action in the background, longer than expected. A person will look at it.",
  },
  task_input_required: {
    person:
      "The destination's task waits for input, which the client that made it has to give; until then it does not go on.",
    model: `The tool took the action on in the background and waits for input there. ${MAY_HAVE}`,
  },
  task_not_asked: {
    person:
      "The destination works on it as a task, and its end is not known: no process had a connection to ask for it, or none got word.",
    model: `The tool went on with the action in the background and could not be asked how it ended. ${MAY_HAVE}`,
  },
  task_cancelled: {
    person: "The destination says that its task was cancelled. What the task had done by then is not known.",
    model: `The background work of the tool was cancelled. That does not show whether the action took effect. ${MAY_HAVE}`,
  },
  task_unknown: {
    person:
      "The destination does not know its task (any more): it expired, or the server forgot it. How it ended is not known.",
    model: `The tool no longer knows its background work, and how it ended is not known. ${MAY_HAVE}`,
  },
  input_required: {
    person: "The destination asked for input; the call goes on when the answer comes. Nothing is in flight meanwhile.",
    model: "The tool asked a question and waits for its answer.",
  },
  input_not_given: {
    person:
      "The destination asked for input, and no answer came within `maxDeadline`. What it had done by then is not known.",
    model: `The tool asked a question, and no answer came in time. ${MAY_HAVE}`,
  },
  too_many_rounds: {
    person: "The destination asked for input more often than a call is followed.",
    model: `The tool asked for input again and again. ${MAY_HAVE}`,
  },
  owner_gone: {
    person: "The process that made the call stopped before it recorded an outcome.",
    model: `The process that made this call stopped before the answer was recorded. ${MAY_HAVE}`,
  },
  earlier_attempt_open: {
    person: "The last attempt is closed, an earlier one is still open.",
    model: `An earlier attempt of this action has no confirmed outcome. ${MAY_HAVE}`,
  },
  permit_lapsed: {
    person: "The permission to send again lapsed unused; the destination must be looked at again.",
    model: `An earlier attempt of this action has no confirmed outcome. ${MAY_HAVE}`,
  },
  contract_suspended: {
    person: "The contract behind the permission was suspended.",
    model: `An earlier attempt of this action has no confirmed outcome. ${MAY_HAVE}`,
  },
  store_loss: {
    person: "The store lost acknowledged writes; this intent may have been sent before.",
    model: `Earlier records were lost. ${MAY_HAVE}`,
  },
  intent_too_old: {
    person: "The intent is older than records are kept; it may have been sent before.",
    model: `This request is old and may have been carried out before. ${MAY_HAVE}`,
  },
  probe_unclear: {
    person: "The destination was asked and gave no clear answer.",
    model: `The destination was asked and gave no clear answer. ${MAY_HAVE}`,
  },
  no_way_to_find_out: {
    person: "No hook, probe or contract can find out more; a person must look at the destination.",
    model: `Nothing can confirm automatically whether the action took effect. ${MAY_HAVE}`,
  },
  settle_not_declared: {
    person: "The hook does not see the effect, but without a declared `settle` time no absence is believed.",
    model: `The destination was asked and does not show the action, which may still arrive. A person will look at it.`,
  },
  probes_used_up: {
    person: "The destination was asked as often as configured without a clear answer.",
    model: `The destination was asked several times without a clear answer. ${MAY_HAVE}`,
  },
  never_sent: {
    person: "Nothing was ever handed to the transport.",
    model: "The request could not be delivered to the tool; nothing was done.",
  },
  not_sent_again: {
    person: "The destination declined for now, and the permission to send again lapsed unused.",
    model: "The tool declined for now and the request was not sent again; nothing was done.",
  },
  withdrawn: {
    person: "Nothing was sent; a newer call of the same identity took its place.",
    model: "Nothing was done for this request.",
  },
  observed_absent: {
    person: "The destination does not show the effect after quiescence.",
    model: "The destination was checked: the action did not take effect.",
  },
  operator_verdict: {
    person: "Decided by an operator.",
    model: "A person looked at it and decided.",
  },
  operator_correction: {
    person: "Corrected by an operator; the earlier outcome is in the history.",
    model: "A person corrected the recorded outcome.",
  },
  partly_applied: {
    person: "Some items took effect, others did not.",
    model: "Only part of the action took effect.",
  },
  success_after_no_effect: {
    person: "A success arrived for an operation that was settled as without effect: an assumption is broken.",
    model: "The action took effect after all.",
  },
  second_success: {
    person: "Two sends of it were both answered with success, without a contract that collapses them.",
    model: "The action took effect, possibly more than once. A person will look at it.",
  },
  more_effects_than_one: {
    person: "The destination shows more than one effect: an assumption is broken.",
    model: "The action took effect, possibly more than once. A person will look at it.",
  },
  not_shown_after_success: {
    person: "The tool reported success, the destination does not show it.",
    model: "The tool reported success, but the destination does not show it. A person will look at it.",
  },
  already_there: {
    person: "The destination says that it is already there, and an earlier attempt of ours is on record.",
    model: "The action had already taken effect.",
  },
  reference_claimed_twice: {
    person: "The destination's reference already settles another operation.",
    model: `The destination was asked and gave no clear answer. ${MAY_HAVE}`,
  },
  nobody_could_look: {
    person: "No process could ask the destination for an hour: the hook needs a connection that none of them had.",
    model: `The destination could not be asked. ${MAY_HAVE} A person will look at it.`,
  },
} as const satisfies Record<string, Reason>;
export type ReasonCode = keyof typeof REASONS;

/** Why we did not send. Closed and pinned. */
export const REFUSALS = {
  undeclared_tool: {
    person: "The configuration is an allowlist and does not name this tool.",
    model: "This tool is not enabled here; nothing was done.",
  },
  not_json: {
    person: "The arguments cannot be sent as JSON without changing their meaning.",
    model: "The arguments could not be used; nothing was done.",
  },
  too_large: {
    person: "The arguments are larger than `maxArgumentBytes`.",
    model: "The arguments are too large; nothing was done.",
  },
  invalid_arguments: {
    person: "The arguments do not fit the tool's current input schema.",
    model: "The arguments do not fit the tool's input schema; nothing was done.",
  },
  other_arguments: {
    person: "This operation id was used before with other arguments.",
    model: "The same request id was used before with different arguments; nothing was done.",
  },
  held_different_arguments: {
    person: "An operation of the same identity with other arguments is on record, and its outcome was not received.",
    model:
      "An earlier action with the same identity but other details is on record; nothing was done for this request.",
  },
  not_as_shown: {
    person: "The arguments differ from those that were shown for approval.",
    model: "The arguments differ from those that were approved; nothing was done.",
  },
  lapsed: {
    person: "The intent was issued longer ago than `validFor`; an old intent is not carried out late.",
    model: "The request is too old to be carried out now; nothing was done.",
  },
  aborted: {
    person: "The caller gave up before anything was sent.",
    model: "The request was cancelled before it was sent; nothing was done.",
  },
  answer_not_sent: {
    person: "The answer to the server's question could not be handed over. The question is still open.",
    model:
      "The answer to the tool's question could not be handed over: nothing was sent, and the question is still open.",
  },
  question_lost: {
    person:
      "The store lost acknowledged writes and has no record of the question that this round answers: what was done so far is unknown.",
    model: `Earlier records were lost: the answer to the tool's question was not passed on, nothing was sent. ${MAY_HAVE}`,
  },
  store_unavailable: {
    person: "The store that records intents is not available; writes are not sent without a record.",
    model: "The safety record could not be written, so nothing was sent for this request.",
  },
  key_not_placeable: {
    person: "The contract places the key where this connection cannot.",
    model: "The tool is not set up correctly; nothing was done.",
  },
  closed: {
    person: "The guard is closed.",
    model: "The tool connection is shutting down; nothing was done.",
  },
  confirm_repeat: {
    person: "`confirmRepeatOf` does not name the operation that holds this call, or comes without a new `operationId`.",
    model: "An earlier action with the same content is still open; nothing was done for this request.",
  },
  task_not_supported: {
    person: "This tool needs a task, which this connection cannot drive.",
    model: "The tool needs a way of running that is not available here; nothing was done.",
  },
} as const satisfies Record<string, Reason>;
export type RefusalCode = keyof typeof REFUSALS;

export const reasonFor = (code: string | undefined): Reason =>
  (REASONS as Record<string, Reason>)[code ?? ""] ?? REASONS.silence;
