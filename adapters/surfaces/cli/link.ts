/** A link to the user's own dashboard. */
import type { QueueDetail } from "../../../src/index.ts";
import { UsageError } from "./exit.ts";

type Named = Pick<QueueDetail, "id" | "server" | "tool" | "key" | "ref">;

/** @throws UsageError for a template that names nothing */
export function linkOf(template: string | undefined, item: Named): string | undefined {
  if (template === undefined) return undefined;
  const link = template.replace(/\{(id|server|tool|key|ref)\}/g, (_, name: keyof Named) =>
    encodeURIComponent((item[name] ?? "").toWellFormed()),
  );
  if (link !== template) return link;
  throw new UsageError(
    `--url-template "${template}" names nothing`,
    "Write {id}, {server}, {tool}, {key} or {ref} into it.",
  );
}
