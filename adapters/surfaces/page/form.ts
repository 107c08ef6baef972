/** What came in a form: texts, each once. */
import type { Ask } from "./context.ts";
import { refuse } from "./problems.ts";

export interface Form {
  /** "" where it is not there; line ends as in the rest of the world. */
  text(name: string): string;
  whole(name: string): number | undefined;
  readonly names: readonly string[];
}

export async function formOf(c: Ask): Promise<Form> {
  const type = c.req.header("content-type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) throw refuse(415, "A form of this page is needed.");
  const fields = new URLSearchParams(await c.req.text());
  const names = [...fields.keys()];
  if (new Set(names).size < names.length) throw refuse(400, "A field of the form is there twice.");
  const text = (name: string) => (fields.get(name) ?? "").replaceAll("\r\n", "\n").toWellFormed();
  return {
    text,
    whole(name) {
      const value = text(name).trim();
      return /^\d{1,12}$/.test(value) ? Number(value) : undefined;
    },
    names,
  };
}
