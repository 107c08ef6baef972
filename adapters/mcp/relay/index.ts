/** For the proxy alone: what a relay of raw bytes needs of the guard in MCP clients. Not public. */
export { endingWith } from "../ending.ts";
export { parseExact } from "../exact.ts";
export { deliveredWhen, type Fetch, isEventStream, isJson, sendsOnce } from "../fetch-request.ts";
export { readSse } from "../fetch-sse.ts";
export {
  envelopeOf,
  type Frame,
  idKey,
  isAnswer,
  isFrame,
  isModern,
  isObject,
  isRequest,
  isToolCall,
  metaOf,
  type RequestId,
  type ToolCallFrame,
} from "../frames.ts";
export { headerMismatch, modernHeaders } from "../modern-headers.ts";
export { asRelay, connectionLost, connectionReady, unanswered } from "./connection.ts";
export { httpWire } from "./wire.ts";
