/** A link to the user's own dashboard. */
import { itemLink, itemLinkProblem, type QueueItem } from "../../../src/entries/queue.ts";
import { UsageError } from "./exit.ts";

/** @throws UsageError for a template that cannot be used */
export function checkUrlTemplate(template: string | undefined): void {
  const problem = template === undefined ? undefined : itemLinkProblem(template);
  if (problem === undefined) return;
  throw new UsageError(
    `--url-template "${template}": ${problem}`,
    "Write an address such as https://board.example/?operation={id}.",
  );
}

type Linked = Pick<QueueItem, "id" | "server" | "tool"> & { readonly key: string; readonly ref?: string };

export const linkOf = (template: string | undefined, item: Linked): string | undefined =>
  template === undefined ? undefined : itemLink(template, { ...item, ref: item.ref ?? "" });
