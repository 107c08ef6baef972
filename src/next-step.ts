/** What can be done now about a record, in plain words, and the setting that would have spared it. */
import type { ToolPolicy } from "./config.ts";
import { reasonFor } from "./core/reasons.ts";
import { type Instant, isSettled } from "./core/terms.ts";
import type { Operation } from "./operation.ts";

export function nextStep(operation: Operation, policy: ToolPolicy, now: Instant): string {
  const { record } = operation;
  if (record.conflict)
    return `Conflict: ${reasonFor(record.reason).person} Look at the destination, then correct the outcome.`;
  const wait = Math.max(0, Math.ceil(((record.quiesceAt ?? 0) - now) / 1000));
  const cure = settingThatHelps(operation, policy);
  switch (record.state) {
    case "unresolved":
      return wait > 0
        ? `Look at the destination. In ${wait} s a lost write can no longer land; then decide. ${cure}`.trim()
        : `Look at the destination, then decide: applied, not_applied, resend or abandon. ${cure}`.trim();
    case "uncertain":
      if (wait > 0)
        return `${canFindOut(policy) ? "Automatic; a" : "A"} lost write can still land for ${wait} s. ${cure}`.trim();
      if (policy.look) return `Automatic; the destination is asked. ${cure}`.trim();
      if (policy.contract && record.lossAt === undefined)
        return `Automatic; sent again while its contract allows that, else to a person. ${cure}`.trim();
      return `Goes to a person at the next sweep: ${SWEEPS} ${cure}`;
    case "partial":
      return "Repair the missing items with a new operation, then accept it as partial.";
    case "ready":
      return sendsAlone(record) ? orderedSend(operation, now) : "Automatic.";
    case "in_flight":
      return record.asked === undefined ? "Automatic." : openQuestion(record, now);
    default:
      return settledWords(record);
  }
}

const SWEEPS = "guard.start() or `indoubt worker` sweeps.";

function openQuestion({ leaseUntil = 0 }: Operation["record"], now: Instant): string {
  const left = Math.max(0, Math.ceil((leaseUntil - now) / 1000));
  return `The server asked a question: its host has ${left} s to bring the answer. Then the operation is in doubt.`;
}

/** What is settled stays in the list of what is open until somebody has the outcome. */
const settledWords = ({ state, delivered }: Operation["record"]): string =>
  !delivered && (state === "succeeded" || state === "applied")
    ? "Nothing: settled. The next equal call is told this outcome."
    : "Nothing: settled.";

/** The destination took it as a task: there is a handle to ask for. */
export function taskNote({ record, group: { server } }: Operation): string {
  if (record.task === undefined || isSettled(record.state)) return "";
  const note = `"${server}" runs it as task "${record.task}": ask for that task there.`;
  if (record.reason === "task_input_required")
    return `${note} It waits for input: give it through the client that made it, or cancel it there and look what it did.`;
  if (record.reason === "task_not_asked")
    return `${note} A process that sweeps and has a guarded client of "${server}" asks by itself: guardClient, guardTransport or the proxy, not guardFetch alone.`;
  return note;
}

/** No caller comes for these permits: recovery spends them. */
const sendsAlone = ({ permit }: Operation["record"]): boolean =>
  permit?.basis === "operator" || permit?.basis === "observed_absent";

function orderedSend({ record, group }: Operation, now: Instant): string {
  const left = Math.ceil(((record.permit?.until ?? 0) - now) / 1000);
  if (left <= 0) return `The permission to send lapsed. In doubt again at the next sweep: ${SWEEPS}`;
  return (
    `Sent again by a process that sweeps, has a guarded connection to "${group.server}" and finds the whole arguments on ` +
    `record. If none does within ${left} s, the permission lapses and it is in doubt again.`
  );
}

const canFindOut = ({ look, contract }: ToolPolicy): boolean => look !== undefined || contract !== undefined;

/** What to configure so that the next one of its kind settles by itself. */
function settingThatHelps({ record, group }: Operation, policy: ToolPolicy): string {
  const where = `servers.${group.server}.tools.${group.tool}`;
  if (!policy.declared) {
    return (
      `This configuration does not declare ${where}. If it only reads, set effect: "read" there: reads are never held. ` +
      'If it writes, a reconcile hook settles such cases by itself; identity: "per-call" lets repeats pass where they do no ' +
      "harm or where each has its own operationId."
    );
  }
  if (!canFindOut(policy)) {
    return `A reconcile hook in ${where} settles such cases by itself; identity: "per-call" lets repeats pass where they do no harm or where each has its own operationId.`;
  }
  const absence = `A hook that finds nothing is believed only with ${where}.settle: how long a lost write can still land.`;
  const declined = `An error answer that always means that nothing was done belongs into ${where}.toolErrors.`;
  const neverBelieved = policy.look && !record.limits.settleDeclared && !record.answered;
  return [...(neverBelieved ? [absence] : []), declined].join(" ");
}
