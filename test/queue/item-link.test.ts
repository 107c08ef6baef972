/** Links to the user's own dashboard: the same rule for the page, the command line, the webhook and the configuration. */
import { expect, test } from "vitest";
import { parseConfigFile } from "../../src/entries/config.ts";
import { itemLink, itemLinkProblem } from "../../src/entries/queue.ts";

test("a link to the user's own page takes each value as one piece", () => {
  const facts = { id: "a_1", server: "x&y=1", tool: "../../etc", key: "k", ref: "#?\uD800" };
  expect(itemLink("https://d.example/{server}/{tool}?id={id}&ref={ref}", facts)).toBe(
    "https://d.example/x%26y%3D1/..%2F..%2Fetc?id=a_1&ref=%23%3F%EF%BF%BD",
  );
});

test("a name that a server chose leads to no other place of the user's site", () => {
  const facts = { id: "a_1", server: ".", tool: ".." };
  expect(itemLink("https://d.example/items/{tool}/delete-all?id={id}", facts)).toBeUndefined();
  expect(itemLink("https://d.example/items/{server}{server}/{id}", facts)).toBeUndefined();
  expect(itemLink("https://d.example/items?tool={tool}", facts)).toBe("https://d.example/items?tool=..");
});

test("what is not known here gives no link instead of a broken one", () => {
  expect(itemLink("https://d.example/{key}", { id: "a_1" })).toBeUndefined();
});

test.each([
  ["https://d.example/", /names nothing: write \{id\}/],
  ["https://d.example/{nr}", /\{nr\} is none of \{id\}/],
  ["https://{id}.example/", /name of the host/],
  ["https://d.example{id}", /name of the host/],
  ["javascript:alert({id})", /http\(s\) URL/],
  ["/items/{id}", /http\(s\) URL/],
  ["https://u:p@d.example/{id}", /user name or password/],
  ["https://{id}@d.example/", /user name or password/],
])("a template that cannot be used is told with its cure: %s", (template, words) => {
  expect(itemLinkProblem(template)).toMatch(words);
  expect(itemLink(template, { id: "a_1" })).toBeUndefined();
  expect(() => parseConfigFile({ urlTemplate: template })).toThrow(words);
});
