/** A link to the user's own dashboard. */
import type { QueueItem } from "../../../src/index.ts";
import { UsageError } from "./exit.ts";

/** @throws UsageError for a template that names nothing */
export function linkOf(
  template: string | undefined,
  item: Pick<QueueItem, "id" | "server" | "tool">,
): string | undefined {
  if (template === undefined) return undefined;
  const link = template.replace(/\{(id|server|tool)\}/g, (_, name: "id" | "server" | "tool") =>
    encodeURIComponent(item[name]),
  );
  if (link !== template) return link;
  throw new UsageError(`--url-template "${template}" names nothing`, "Write {id}, {server} or {tool} into it.");
}
