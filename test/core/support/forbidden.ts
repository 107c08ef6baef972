/** What no text for the model may contain. */

/** Advice to repeat: a model takes it, also when it stands in a warning. */
const ADVICE = ["try again", "retry", "retrying", "resubmit", "call it again", "run it again"];
/** Texts that agent frameworks and SDKs search for when they decide to repeat a call. */
const GREPPED = [
  "fetch failed",
  "connection closed",
  "not connected",
  "HTTP 4",
  "HTTP 5",
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "timed out",
  "timeout",
  "terminated",
  "socket hang up",
];
/** The operator's ways are never reachable for the model. */
const COMMANDS = ["indoubt queue", "indoubt ", "queue resolve", "resolve --", "guard.queue", "queue.resolve", "npx "];

export const forbiddenIn = (text: string): string[] =>
  [...ADVICE, ...GREPPED, ...COMMANDS].filter((word) => text.toLowerCase().includes(word.toLowerCase()));
