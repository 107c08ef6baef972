/** `indoubt path …`: whether what lies between here and a server sends calls again by itself. */
import type { Define } from "../cli.ts";
import { definePathServe } from "./path-serve.ts";
import { definePathTest } from "./path-test.ts";

const COMMANDS: readonly Define[] = [definePathServe, definePathTest];

export const definePath: Define = (parent, exitWith) => {
  const path = parent
    .command("path")
    .description("whether gateways and proxies before a server send calls again, or cut slow ones");
  for (const define of COMMANDS) define(path, exitWith);
};
