/** What is known of the rounds of a call when the last one was not handed over. */
import { expect, it } from "vitest";
import { unsentOf } from "../../src/core/legs.ts";

const ref = { attempt: 1, token: "t" };
const operation = (attempts: number, legs?: readonly string[]) => ({ attempts, ...(legs && { legs }) });

it.each([
  ["a call that nobody asked about was not sent", operation(1), "unsent"],
  ["a round leaves its question open", operation(1, ["q"]), "unsent_leg"],
  ["a resend may have had a round before: no proof", operation(2, ["q"]), "doubt"],
  ["a resend of a call that nobody asked about was not sent", operation(2), "unsent"],
])("I6 %s", (_what, given, type) => {
  expect(unsentOf(given, ref)).toMatchObject({ type, ...ref });
});
