/** `indoubt tools …`: what servers offer, beside what was reviewed. */
import { type Define, withCommon } from "../cli.ts";
import { defineToolsDiff } from "./tools-diff.ts";
import { defineToolsExplain } from "./tools-explain.ts";
import { defineToolsResume } from "./tools-resume.ts";
import { defineToolsReview } from "./tools-review.ts";

const COMMANDS: readonly Define[] = [defineToolsReview, defineToolsDiff, defineToolsExplain, defineToolsResume];

export const defineTools: Define = (parent, exitWith) => {
  const tools = withCommon(parent.command("tools")).description(
    "the tools of your servers: review and record them, see what changed, explain a call, resume",
  );
  for (const define of COMMANDS) define(tools, exitWith);
};
