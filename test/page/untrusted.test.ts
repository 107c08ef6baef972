/** S28, W2: what others wrote is shown as data: escaped, fenced, with everything hidden in it spelled out. */
import { expect, test } from "vitest";
import { data, line, name, quoted, visible } from "../../adapters/surfaces/page/fence.ts";
import { placeOf } from "../../adapters/surfaces/page/links.ts";

const HOSTILE = `<img src=x onerror="alert(1)">'"&</blockquote><script>alert(2)</script>`;

test("tags and quotes of others arrive as text", () => {
  for (const shown of [
    name(HOSTILE),
    quoted("the server's words", HOSTILE),
    data("arguments", { [HOSTILE]: HOSTILE }),
  ]) {
    const text = String(shown);
    expect(text).not.toMatch(/<img|<script|onerror="/);
    expect(text).toContain("&lt;");
  }
});

test.each([
  ["a right-to-left override", "invoice\u202Efdp.exe", "invoice⟨U+202E⟩fdp.exe"],
  ["isolates", "\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"],
  ["a zero-width space", "pay\u200Bpal", "pay⟨U+200B⟩pal"],
  ["escape sequences", "\u001B[2Jgone", "⟨U+001B⟩[2Jgone"],
  ["a null", "a\u0000b", "a⟨U+0000⟩b"],
  ["tags that no one sees", "ok\u{E0041}\u{E0042}", "ok⟨U+E0041⟩⟨U+E0042⟩"],
  ["half a pair", "a\uD800b", "a⟨U+D800⟩b"],
  ["a Hangul filler", "a\u3164b", "a⟨U+3164⟩b"],
  ["a line separator", "a\u2028b", "a⟨U+2028⟩b"],
  ["marks that cover other lines", `a${"\u0301".repeat(40)}b`, `a${"\u0301".repeat(3)}…b`],
])("%s is spelled out", (_, text, shown) => {
  expect(visible(text)).toBe(shown);
});

test("letters of every script stay as they are", () => {
  for (const text of ["Grüße, naïve café", "支払い完了", "فاتورة", "👍🏽 done", "क्षि", "tab\tand\nlines"]) {
    expect(visible(text).replaceAll("⟨U+200D⟩", "\u200D")).toBe(text);
  }
});

test("one line stays one line, and long words are cut with their length", () => {
  expect(line("a\nb\tc")).toBe("a⟨U+000A⟩b⟨U+0009⟩c");
  expect(line("x".repeat(500))).toMatch(/^x{160}… \(500 characters\)$/);
  expect(String(quoted("w", "y".repeat(9_000)))).toContain("… (9000 characters)");
});

test("only places of the page are places to go back to", () => {
  expect(placeOf("/items/x?decision=1")).toBe("/items/x?decision=1");
  for (const elsewhere of [undefined, "", "x", "//e", "/\\e", "http://e", "/\t/e", "/sign-in"])
    expect(placeOf(elsewhere)).toBe("/");
});
