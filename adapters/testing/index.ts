export type { StoreCase, StoreHarness, StoreRequirement } from "./conformance/harness.ts";
export type { HostCall, HostCase, HostHarness, HostReading, HostRun, HostTarget } from "./conformance/host-harness.ts";
export { describeHost, hostSuite } from "./conformance/host-suite.ts";
export { describeStore, type StoreTestRunner, storeSuite } from "./conformance/store-suite.ts";
export type { DestinationOptions, KeyPlace, NativeKey, StoredObject } from "./fault/destination.ts";
export {
  type Arrival,
  type Cancel,
  type Effect,
  type EffectLog,
  type LogEntry,
  openEffectLog,
  type Read,
} from "./fault/effect-log.ts";
export type { Era, Eras, ServerInfo } from "./fault/eras.ts";
export { type FaultServerProcess, serveFaultsOverHttp, spawnFaultServer } from "./fault/http-process.ts";
export { type HttpFaultServer, type HttpFaultServerOptions, startFaultServer } from "./fault/http-server.ts";
export type { JsonObject, JsonValue, RequestId, RpcError } from "./fault/json.ts";
export {
  type FaultPath,
  type FaultPathOptions,
  type PathArrival,
  type PathStep,
  startFaultPath,
} from "./fault/path.ts";
export type { FaultServerOptions } from "./fault/run-directory.ts";
export {
  type Commit,
  type PlainReply,
  type Reply,
  type Script,
  type StatusReply,
  type Step,
  sessionNotFound,
  type TaskPlan,
} from "./fault/script.ts";
export type { FaultServerControl } from "./fault/server-control.ts";
export { type FaultServerCommand, faultServerCommand, serveFaultsOverStdio } from "./fault/stdio-server.ts";
export type { FaultTool, ReadTool, WriteTool } from "./fault/tools.ts";
