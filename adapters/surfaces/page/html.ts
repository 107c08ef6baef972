/** HTML that escapes whatever is put into it: hono's template, under the names used here. */
import { html } from "hono/html";

export { html };
export type Html = ReturnType<typeof html>;
export const nothing: Html = html``;

/** Several parts, one after the other. */
export const each = <T>(items: readonly T[], view: (item: T, index: number) => Html): Html => html`${items.map(view)}`;
