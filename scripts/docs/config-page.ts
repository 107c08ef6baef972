/** docs/config.md: every option with type, default and example. */
import { CONTRACT, GUARD_OPTIONS, HOOK, type Option, RULE, SERVER, TOOL, TOP } from "./config-options.ts";
import { code, page, table } from "./markdown.ts";

const rows = (options: Readonly<Record<string, Option>>): string =>
  table(
    ["option", "type", "default", "example", "what it does"],
    Object.entries(options).map(([name, option]) => [
      code(name),
      option.type,
      /^(\d+|".*"|\[\]|\{\}|true|false)$/.test(option.default) ? code(option.default) : option.default,
      code(option.written ?? JSON.stringify(option.example)),
      option.does,
    ]),
  );

export const configPage = (): string =>
  page(
    "# Options",
    "Everything has a default that is safe: without any option a call is sent once, never twice, and is in doubt on silence. Unknown names, wrong units and pointers that are none are errors that name the path.",
    "A duration is a number of milliseconds, or a text with a unit: `500ms`, `30s`, `10m`, `24h`, `30d`. Defaults are in milliseconds.",
    "## A guard",
    "The argument of `createGuard`.",
    rows({ ...GUARD_OPTIONS, ...TOP }),
    "## A server",
    "An entry of `servers`.",
    rows(SERVER),
    "## A tool",
    "An entry of `servers.….tools`.",
    rows(TOOL),
    "## A hook",
    "`reconcile` as an object.",
    rows(HOOK),
    "## A rule",
    "An entry of `toolErrors`, `resultErrors` or `repeatAnswers`.",
    rows(RULE),
    "## A contract",
    "The argument of `contract`.",
    rows(CONTRACT),
  );
