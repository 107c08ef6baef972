/**
 * A host sees the same with and without the proxy: every tool, prompt and resource of the server that passes the official
 * conformance suite, with the questions that it asks back, its log and its progress. `npm run transparency` is the whole
 * of it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ProxyTarget } from "../../adapters/surfaces/proxy/index.ts";
import { RESOURCES } from "./suite-offers.ts";
import { folder, PAIRINGS, proxyCommand, startHttpProxy } from "./support.ts";

const SERVER = {
  command: process.execPath,
  args: ["--import", import.meta.resolve("tsx"), fileURLToPath(new URL("children/suite-server.ts", import.meta.url))],
};

async function httpServer(): Promise<string> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  const child = spawn(SERVER.command, [...SERVER.args, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return url;
}

type Way = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

async function through(pairing: (typeof PAIRINGS)[number], target: ProxyTarget): Promise<Way> {
  const http = pairing.startsWith("http");
  const settings = { store: join(folder(), "record.db"), target, http };
  return http ? { url: (await startHttpProxy(settings)).url } : proxyCommand(settings);
}

const CALLS: readonly (readonly [string, object?])[] = [
  ["test_simple_text"],
  ["test_image_content"],
  ["test_audio_content"],
  ["test_embedded_resource"],
  ["test_multiple_content_types"],
  ["test_tool_with_logging"],
  ["test_tool_with_progress"],
  ["test_sampling", { prompt: "Say something." }],
  ["test_elicitation", { message: "Who are you?" }],
  ["test_elicitation_sep1034_defaults"],
  ["test_elicitation_sep1330_enums"],
  ["test_reconnection"],
  ["no_such_tool"],
];

/** All that a host gets to see, in the order of its own questions. */
async function lookedAt(way: Way): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const client = new Client(
    { name: "host", version: "1.0.0" },
    { capabilities: { sampling: {}, elicitation: { form: {} } } },
  );
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    seen.push(["asked to sample", params]);
    return { role: "assistant", model: "none", content: { type: "text", text: "Something." } };
  });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    seen.push(["asked for input", params]);
    return { action: "accept", content: { username: "you", email: "you@acme.example" } };
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void seen.push(["log", params]));
  const transport =
    "url" in way
      ? new StreamableHTTPClientTransport(new URL(way.url))
      : new StdioClientTransport({ command: way.command, args: [...way.args] });
  onTestFinished(() => client.close());
  await client.connect(transport as never);
  const look = async (what: string, answer: Promise<unknown>): Promise<void> => {
    const said = await answer.catch(({ code, message }: { code?: number; message: string }) => ({ code, message }));
    seen.push([what, said]);
  };
  seen.push(client.getServerVersion(), client.getServerCapabilities());
  await look("tools", client.listTools());
  const onprogress = (progress: unknown) => void seen.push(["progress", progress]);
  for (const [name, args = {}] of CALLS) {
    await look(name, client.callTool({ name, arguments: { ...args } }, undefined, { onprogress }));
  }
  await look("prompts", client.listPrompts());
  const given = { arg1: "hello", arg2: "world" };
  await look("prompt", client.getPrompt({ name: "test_prompt_with_arguments", arguments: given }));
  await look("templates", client.listResourceTemplates());
  await look("resources", client.listResources());
  for (const { uri } of RESOURCES) await look(uri, client.readResource({ uri }));
  await look("nothing", client.readResource({ uri: "test://nowhere" }));
  await look("subscribe", client.subscribeResource({ uri: "test://watched-resource" }));
  const ref = { type: "ref/prompt" as const, name: "test_prompt_with_arguments" };
  await look("complete", client.complete({ ref, argument: { name: "arg1", value: "par" } }));
  await look("level", client.setLoggingLevel("info"));
  await look("ping", client.ping());
  return seen;
}

describe.each(PAIRINGS)("%s", (pairing) => {
  test("the host sees what it sees without the proxy", async () => {
    const target = pairing.endsWith("http") ? { url: await httpServer() } : SERVER;
    const direct = await lookedAt(target);
    const proxied = await lookedAt(await through(pairing, target));

    const kinds = direct.map((entry) => (Array.isArray(entry) ? entry[0] : "greeting"));
    expect(kinds).toEqual(expect.arrayContaining(["asked to sample", "asked for input", "log", "progress", "ping"]));
    expect(proxied).toEqual(direct);
  });
});
