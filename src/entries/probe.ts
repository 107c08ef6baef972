/** `indoubt/probe`: for who looks at a destination of another kind by rules instead of code. */

export type { Condition } from "../probe/match.ts";
export {
  type BaselineRule,
  type Correlation,
  type Found,
  type Probe,
  type ProbeRead,
  type ProbeRules,
  probe,
} from "../probe/probe.ts";
export type { ProbeReport } from "../probe-report.ts";
