import { randomUUID } from "node:crypto";
import { createCallPlayer } from "./call-player.ts";
import type { ReplyChannel } from "./channel.ts";
import type { Arrival, Cancel } from "./effect-log.ts";
import {
  claimedVersion,
  discoverResult,
  type Era,
  eraOf,
  initializeResult,
  listResult,
  resultMessage,
  speaks,
  supportedVersions,
} from "./eras.ts";
import { isJsonObject, type JsonObject, objectAt, type RequestId, requestIdOf, textAt } from "./json.ts";
import { sendRpcError } from "./replies.ts";
import { type RunDirectory, type Settings, stepFor } from "./run-directory.ts";
import { resolveStep } from "./script.ts";
import { mergeTools, publishedTool } from "./tools.ts";

/** A message as the transport received it. */
export interface Inbound {
  readonly message: JsonObject;
  readonly raw: string;
  /** Present over HTTP, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The behaviour of the fault server, the same behind every transport. */
export interface FaultEngine {
  /** Handles a request; the answer, if any, goes to the channel. */
  handle(inbound: Inbound, channel: ReplyChannel): void;
  /** Handles a notification of the client, or its answer to a request of the server. */
  receive(inbound: Inbound): void;
  /** The caller's connection went away, which cancels the call in the 2026 era. */
  disconnected(inbound: Inbound): void;
  /** Resolves when no commit is ahead any more. */
  idle(): Promise<void>;
  /** Drops everything that is still ahead. */
  close(): void;
}

export function createEngine(directory: RunDirectory): FaultEngine {
  const { log } = directory;
  const player = createCallPlayer(log);

  function handle(inbound: Inbound, channel: ReplyChannel): void {
    const { message } = inbound;
    const id = requestIdOf(message) ?? null;
    const era = eraOf(message);
    const settings = directory.settings();
    const version = claimedVersion(message) ?? era;
    if (version !== era || !speaks(settings.eras, era)) refuseEra(channel, id, message, settings);
    else if (message.method === "tools/call") call(inbound, id, era, settings, channel);
    else if (typeof message.method === "string" && Object.hasOwn(TASKS, message.method)) {
      const taskId = textAt(objectAt(message, "params"), "taskId") ?? "";
      const ask = TASKS[message.method as keyof typeof TASKS];
      void player.tasks[ask]({ channel, id, era, info: settings.serverInfo }, taskId);
    } else {
      const result = describe(message, era, settings);
      if (result !== undefined) channel.answer(resultMessage(id, result));
      else sendRpcError({ channel, id, era }, { code: -32601, message: `Method not found: ${message.method}` });
    }
  }

  function call(inbound: Inbound, id: RequestId, era: Era, settings: Settings, channel: ReplyChannel): void {
    const params = objectAt(inbound.message, "params");
    const name = textAt(params, "name") ?? "";
    const tool = mergeTools(settings.tools).find((candidate) => candidate.name === name);
    const step = resolveStep(stepFor(settings, name, log.arrivals(name).length + 1));
    const accepted = tool !== undefined && step.commit !== "before_accept_fails";
    const arrival = recordArrival(inbound, id, era, name, accepted);
    if (tool === undefined) {
      sendRpcError({ channel, id, era }, { code: -32602, message: `Unknown tool: ${name}` });
      return;
    }
    const number = log.arrivals().findIndex(({ token }) => token === arrival.token) + 1;
    void player.play({ arrival, number, tool, step, settings, channel });
  }

  function recordArrival(inbound: Inbound, requestId: RequestId, era: Era, tool: string, accepted: boolean): Arrival {
    const params = objectAt(inbound.message, "params");
    const requestState = textAt(params, "requestState");
    const keyHeader = inbound.headers?.["idempotency-key"];
    const session = sessionOf(inbound);
    const arrival: Arrival = {
      kind: "arrival",
      at: Date.now(),
      tool,
      arguments: objectAt(params, "arguments"),
      meta: objectAt(params, "_meta"),
      requestId,
      era,
      accepted,
      pid: process.pid,
      token: randomUUID(),
      raw: inbound.raw,
      ...(inbound.headers === undefined ? {} : { headers: inbound.headers }),
      ...(keyHeader === undefined ? {} : { keyHeader }),
      ...(session === undefined ? {} : { session }),
      ...(requestState === undefined ? {} : { requestState }),
    };
    log.append(arrival);
    return arrival;
  }

  function receive(inbound: Inbound): void {
    const { message } = inbound;
    const id = requestIdOf(message);
    if (typeof id === "string") player.answered(id, message);
    if (message.method !== "notifications/cancelled") return;
    const params = objectAt(message, "params");
    const requestId = params.requestId;
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    cancel(requestId, sessionOf(inbound), textAt(params, "reason") ?? "");
  }

  function disconnected(inbound: Inbound): void {
    const { message } = inbound;
    if (eraOf(message) === "2026-07-28" && message.method === "tools/call") {
      cancel(requestIdOf(message) ?? null, sessionOf(inbound), "disconnected");
    }
  }

  function cancel(requestId: RequestId, session: string | undefined, reason: string): void {
    const entry: Cancel = { kind: "cancel", at: Date.now(), requestId, reason };
    log.append(entry);
    player.cancel(requestId, session);
  }

  return { handle, receive, disconnected, idle: player.idle, close: player.close };
}

const TASKS = {
  "tasks/get": "get",
  "tasks/result": "result",
  "tasks/update": "update",
  "tasks/cancel": "cancel",
} as const;

function sessionOf({ headers }: Inbound): string | undefined {
  return headers?.["mcp-session-id"];
}

/** What the server says about itself; `undefined` for a method that it does not know. */
function describe(message: JsonObject, era: Era, { serverInfo, eras, tools }: Settings): JsonObject | undefined {
  switch (message.method) {
    case "initialize":
      return initializeResult(message, serverInfo);
    case "server/discover":
      return discoverResult(serverInfo, eras);
    case "ping":
      return {};
    case "tools/list":
      return listResult(era, serverInfo, mergeTools(tools).map(publishedTool));
    default:
      return undefined;
  }
}

function refuseEra(channel: ReplyChannel, id: RequestId, message: JsonObject, { eras }: Settings): void {
  const era = eraOf(message);
  if (message.method === "server/discover" && eras === "2025-11-25") {
    sendRpcError({ channel, id, era }, { code: -32601, message: "Method not found: server/discover" });
    return;
  }
  const requested = claimedVersion(message) ?? textAt(objectAt(message, "params"), "protocolVersion") ?? era;
  const data = { supported: supportedVersions(eras), requested };
  sendRpcError({ channel, id, era }, { code: -32022, message: "Unsupported protocol version", data });
}

/** True for a message that asks for an answer. */
export function isRequest(message: unknown): message is JsonObject {
  return isJsonObject(message) && typeof message.method === "string" && requestIdOf(message) !== undefined;
}
