/** Clients of the official SDKs for a host's server, closed when the run is over. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { HostTarget } from "../../../adapters/testing/index.ts";

const SELF = { name: "frameworks", version: "1.0.0" };

export const plainClientV1 = (): ClientV1 => new ClientV1(SELF);
export const plainClientV2 = (): ClientV2 => new ClientV2(SELF);

export function transportV1(target: HostTarget): HttpV1 | StdioV1 {
  return target.kind === "http" ? new HttpV1(new URL(target.url)) : new StdioV1(commandOf(target));
}

export function transportV2(target: HostTarget): HttpV2 | StdioV2 {
  return target.kind === "http" ? new HttpV2(new URL(target.url)) : new StdioV2(commandOf(target));
}

export const commandOf = ({ command, args, env }: Extract<HostTarget, { kind: "stdio" }>) => ({
  command,
  args,
  env,
  stderr: "ignore" as const,
});
