export { type HttpProbeOptions, httpProbe } from "./http/index.ts";
export { type QueryFunction, type SqlProbeOptions, sqlProbe } from "./sql/index.ts";
export { toolProbe } from "./tool/index.ts";
