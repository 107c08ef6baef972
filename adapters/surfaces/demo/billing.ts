/** The billing server in a child process, and what its own files say. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

export interface Request {
  readonly tool: string;
  /** What the server did, in its own words. */
  readonly did: string;
  readonly reply: "sent" | "lost";
}

export interface Billing {
  /** A plain SDK client, connected. */
  readonly client: Client;
  /** Effects of one kind in the server's own file: the judge. */
  effects(kind: "invoice" | "charge" | "payment"): number;
  /** Requests that reached the server. */
  requests(): Request[];
}

/** @param lose the tools whose first reply gets lost */
export async function startBilling(folder: string, lose: readonly string[]): Promise<Billing> {
  mkdirSync(folder, { recursive: true });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...serverProgram(), "--folder", folder, ...lose.flatMap((tool) => ["--lose", tool])],
    stderr: "inherit",
  });
  const client = new Client({ name: "demo-agent", version: "1.0.0" });
  await client.connect(transport);
  return {
    client,
    effects: (kind) =>
      read<{ kind: string }>(join(folder, "effects.jsonl")).filter((effect) => effect.kind === kind).length,
    requests: () => read<Request>(join(folder, "requests.jsonl")),
  };
}

/** As it stands in the sources, or as it was built: bin/demo-server.js, seen from bin/ or chunks/. */
function serverProgram(): string[] {
  const { url } = import.meta;
  if (url.endsWith(".ts")) return ["--import", import.meta.resolve("tsx"), fileURLToPath(new URL("./server.ts", url))];
  return [fileURLToPath(new URL("../bin/demo-server.js", url))];
}

/** Whole lines only: the last one may still be on its way. */
function read<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as T);
}
