import { isJsonObject, type JsonObject, objectAt, type RequestId, type RpcError, textAt } from "./json.ts";

/** The two protocol revisions whose difference matters on the wire. */
export type Era = "2025-11-25" | "2026-07-28";

/** Which eras a server speaks. */
export type Eras = "both" | Era;

const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** Name and version that the server says it has. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** The 2026 era declares itself in every request; everything else is the 2025 era. */
export function eraOf(message: JsonObject): Era {
  const meta = objectAt(objectAt(message, "params"), "_meta");
  return meta[PROTOCOL_VERSION] === undefined && message.method !== "server/discover" ? "2025-11-25" : "2026-07-28";
}

/** The version that a 2026 request claims; undefined in the 2025 era. */
export function claimedVersion(message: JsonObject): string | undefined {
  return textAt(objectAt(objectAt(message, "params"), "_meta"), PROTOCOL_VERSION);
}

export function speaks(eras: Eras, era: Era): boolean {
  return eras === "both" || eras === era;
}

export function supportedVersions(eras: Eras): Era[] {
  return eras === "both" ? ["2026-07-28", "2025-11-25"] : [eras];
}

export function initializeResult(message: JsonObject, info: ServerInfo): JsonObject {
  const requested = textAt(objectAt(message, "params"), "protocolVersion");
  const known = requested !== undefined && LEGACY_VERSIONS.includes(requested);
  return {
    protocolVersion: known ? requested : "2025-11-25",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { ...info },
  };
}

export function discoverResult(info: ServerInfo, eras: Eras): JsonObject {
  return stampResult("2026-07-28", info, {
    supportedVersions: supportedVersions(eras),
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "private",
  });
}

export function listResult(era: Era, info: ServerInfo, tools: JsonObject[]): JsonObject {
  if (era === "2025-11-25") return { tools };
  return stampResult(era, info, { tools, ttlMs: 0, cacheScope: "private" });
}

/** Adds what the 2026 era requires of every result; leaves what the result already says. */
export function stampResult(era: Era, info: ServerInfo, result: JsonObject): JsonObject {
  if (era === "2025-11-25") return result;
  const meta = isJsonObject(result._meta) ? result._meta : {};
  return { resultType: "complete", ...result, _meta: { [SERVER_INFO]: { ...info }, ...meta } };
}

export function resultMessage(id: RequestId, result: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id, result };
}

export function errorMessage(id: RequestId, { code, message, data }: RpcError): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** The HTTP status that the 2026 era prescribes for an error; 200 for everything it leaves open. */
export function statusFor(era: Era, code: number): number {
  if (era === "2025-11-25") return 200;
  if (code === -32601) return 404;
  return code <= -32020 && code >= -32029 ? 400 : 200;
}
