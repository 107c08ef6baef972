/** Questions about tasks, as frames: no client waits for their answers, so their ids are our own. */

import type { Attempt, TaskQuestion } from "../../src/entries/wire.ts";
import type { JsonObject } from "../../src/index.ts";
import type { RequestFrame, RequestId } from "./frames.ts";

export function askFrame(
  { method, task }: TaskQuestion,
  id: RequestId,
  envelope: JsonObject | undefined,
): RequestFrame {
  return { jsonrpc: "2.0", id, method, params: { taskId: task, ...(envelope && { _meta: envelope }) } };
}

/** It takes no permit and reports to nobody. */
export const askAttempt = ({ method, cancel }: TaskQuestion): Attempt => ({
  operation: "",
  tool: method,
  number: 1,
  arguments: {},
  cancel,
  mayStart: () => !cancel.aborted,
  progressed() {},
  waiting() {},
  sentAgain() {},
});
