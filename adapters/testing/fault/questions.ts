/** The one question that the fault server asks, in the words of both eras. */
import type { JsonObject } from "./json.ts";

export const CONFIRMATION = {
  message: "Do it?",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } },
} satisfies JsonObject;

/** 2026 era. */
export const INPUT_REQUESTS = {
  confirm: { method: "elicitation/create", params: { mode: "form", ...CONFIRMATION } },
} satisfies JsonObject;
