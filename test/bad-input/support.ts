/** A guarded client on a real server, and the judges: the effect log, the record, and the words. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished } from "vitest";
import { guardClient } from "../../adapters/mcp/index.ts";
import { memoryStore } from "../../adapters/stores/memory/index.ts";
import { type EffectLog, type HttpFaultServerOptions, startFaultServer } from "../../adapters/testing/index.ts";
import {
  type CallContext,
  createGuard,
  type ErrorCode,
  type Guard,
  type GuardOptions,
  type JsonObject,
  type Outcome,
  withCallContext,
} from "../../src/index.ts";

export const SERVER = "billing";
export const INVOICE = { customer: "acme", order: "o-1", amount: 12 };
export const SECRET = "a secret of the bad inputs";

export interface Given {
  readonly store?: GuardOptions["store"];
  /** `null`: none at all. @default one that fits */
  readonly secret?: string | null;
  readonly tools?: NonNullable<NonNullable<GuardOptions["servers"]>[string]>["tools"];
  readonly options?: Omit<GuardOptions, "store" | "secret" | "servers">;
  readonly server?: HttpFaultServerOptions;
}

export interface Heard {
  /** What the model reads, or the words of what was thrown. */
  readonly text: string;
  readonly isError: boolean;
  readonly threw: unknown;
  readonly outcome: Outcome | undefined;
}

export interface Scene {
  readonly guard: Guard;
  readonly log: EffectLog;
  /** Sends the arguments as they are, whatever the types say. */
  call(args: unknown, context?: CallContext, tool?: string): Promise<Heard>;
}

export async function scene({
  store = memoryStore(),
  secret = SECRET,
  tools,
  options,
  server,
}: Given = {}): Promise<Scene> {
  const faults = await startFaultServer(server ?? {});
  onTestFinished(() => faults.close());
  const servers = tools === undefined ? {} : { servers: { [SERVER]: { tools } } };
  const guard = createGuard({ ...options, ...servers, store, ...(secret !== null && { secret }) });
  onTestFinished(() => guard.close({ within: 0 }).catch(() => {}));
  const client = guardClient(guard, SERVER, new Client({ name: "host", version: "1.0.0" }));
  onTestFinished(() => client.close().catch(() => {}));
  await client.connect(new StreamableHTTPClientTransport(new URL(faults.url)) as never);
  await client.listTools();
  return {
    guard,
    log: faults.log,
    async call(args, context = {}, tool = "create_invoice") {
      let outcome: Outcome | undefined;
      const onOutcome = (heard: Outcome) => {
        outcome = heard;
      };
      const asked = withCallContext({ ...context, onOutcome }, () =>
        client.callTool({ name: tool, arguments: args as JsonObject }),
      );
      return asked.then(
        (result) => ({
          text: wordsOf(result as JsonObject),
          isError: result.isError === true,
          threw: undefined,
          outcome,
        }),
        (threw: unknown) => ({ text: (threw as Error).message, isError: true, threw, outcome }),
      );
    },
  };
}

const wordsOf = ({ content }: JsonObject): string =>
  (content as { text?: string }[]).map(({ text }) => text ?? "").join("\n");

/** Nothing was sent, and the caller knows why: the model in plain words, the host with the cure. */
export function expectRefused(heard: Heard, because: string, cure: RegExp): void {
  expect(heard.outcome).toMatchObject({ kind: "refused", because });
  expect((heard.outcome as { detail: string }).detail).toMatch(cure);
  expect(heard.isError).toBe(true);
  expect(heard.text).toContain("[not_sent]");
  expect(heard.text).toMatch(/nothing was (done|sent)/i);
}

/** Fails with this code, and its words name the cure. */
export async function expectFailure(work: () => unknown, code: ErrorCode, cure: RegExp): Promise<void> {
  const error = await Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toMatchObject({ name: "IndoubtError", code });
  expect((error as Error).message).toMatch(cure);
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-bad-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
