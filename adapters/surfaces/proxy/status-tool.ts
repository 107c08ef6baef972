/** `indoubt_status`: a read-only tool of the proxy's own, so that a model can ask what became of a call instead of repeating it. */

import type { QueueDetail } from "../../../src/entries/queue.ts";
import type { Guard, JsonObject, State } from "../../../src/index.ts";
import { type Frame, idKey, isModern, isObject, type RequestId, type ToolCallFrame } from "../../mcp/relay/index.ts";
import { spanOf } from "./json-span.ts";
import { bytesOf, withBytes } from "./messages.ts";

export interface StatusTool {
  /** A request of the host passes by: the first page of a tool list will get the tool. */
  notice(frame: Frame): void;
  /** The message as the host gets it. */
  added<T extends object>(message: T): T;
  isFor(frame: Frame): frame is ToolCallFrame;
  answer(frame: ToolCallFrame, principal: string | undefined): Promise<Frame>;
}

const NAME = "indoubt_status";
const MOST = 20;
const DEFINITION = JSON.stringify({
  name: NAME,
  title: "Open actions",
  description:
    "Lists earlier actions of this server's tools whose outcome is not known yet, or tells the state of one by its reference. " +
    "Reads only. Ask this instead of repeating an action.",
  inputSchema: {
    type: "object",
    properties: { reference: { type: "string", description: "The reference that a tool result named." } },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
});

export function statusTool(guard: Guard, server: string): StatusTool {
  const lists = new Set<string>();
  return {
    notice({ id, method, params }) {
      if (method === "tools/list" && params?.cursor === undefined) lists.add(idKey(id) ?? "");
    },
    added(message) {
      const { id, result } = message as Frame;
      if (!lists.delete(idKey(id) ?? "") || !isObject(result)) return message;
      const text = Buffer.from(bytesOf(message)).toString("utf8");
      const span = spanOf(text, ["result", "tools"]);
      if (!span || !Array.isArray(result.tools)) return message;
      const rest = text.slice(span.start + 1);
      const joined = `${text.slice(0, span.start + 1)}${DEFINITION}${result.tools.length > 0 ? "," : ""}${rest}`;
      return withBytes({ ...message }, Buffer.from(joined));
    },
    isFor: (frame): frame is ToolCallFrame => frame.method === "tools/call" && frame.params?.name === NAME,
    async answer(frame, principal) {
      const { reference } = isObject(frame.params.arguments) ? frame.params.arguments : {};
      const own = { guard, server, principal };
      const text = await (typeof reference === "string" ? one(own, reference) : all(own)).catch(
        () => "The record cannot be read at the moment.",
      );
      return answerWith(frame.id, text, isModern(frame));
    },
  };
}

interface Own {
  readonly guard: Guard;
  readonly server: string;
  readonly principal: string | undefined;
}

async function all({ guard, server, principal }: Own): Promise<string> {
  const { items } = await guard.queue.list({
    index: "open",
    server,
    limit: 200,
    ...(principal !== undefined && { principal }),
  });
  const open = items.filter(({ state }) => state in OPEN).slice(0, MOST);
  if (open.length === 0) return "No action of this server is open.";
  const lines = open.map((item) => lineOf(item.id, item.tool, item.state, item.ageMs));
  return `${lines.join("\n")}\nDo not repeat these actions; their outcome is being found out.`;
}

async function one(own: Own, reference: string): Promise<string> {
  const found = await (own.principal === undefined ? anybodys(own, reference) : ownOpen(own, reference));
  return found ? lineOf(found.id, found.tool, found.state, found.ageMs) : "No action with this reference is on record.";
}

async function anybodys({ guard, server }: Own, reference: string): Promise<QueueDetail | undefined> {
  const found = await guard.queue.show(reference).catch(() => undefined);
  return found?.server === server && found.principal === undefined ? found : undefined;
}

/** Records name a person by a digest that only an open record of this person's shows. */
async function ownOpen({ guard, server, principal }: Own, reference: string): Promise<QueueDetail | undefined> {
  const found = await guard.queue.show(reference).catch(() => undefined);
  if (found?.server !== server || found.principal === undefined || principal === undefined) return undefined;
  const [open] = (await guard.queue.list({ index: "open", server, principal, limit: 1 })).items;
  const digest = open && (await guard.queue.show(open.id).catch(() => undefined))?.principal;
  return digest === found.principal ? found : undefined;
}

const OPEN = {
  ready: "waits to be sent",
  in_flight: "is being carried out",
  uncertain: "may or may not have taken effect; that is being found out",
  unresolved: "may or may not have taken effect; a person has to check",
} as const satisfies Partial<Record<State, string>>;

const SETTLED: Readonly<Record<Exclude<State, keyof typeof OPEN>, string>> = {
  succeeded: "was carried out",
  failed: "was answered with an error; whether it took effect is not claimed",
  rejected: "was declined; nothing was done",
  applied: "took effect, as was checked afterwards",
  not_applied: "did not take effect",
  partial: "took effect in part",
  abandoned: "was closed by a person without a known outcome",
};

const lineOf = (id: string, tool: string, state: State, ageMs: number): string =>
  `${id}: "${tool}", asked for ${Math.round(ageMs / 1000)} s ago, ${{ ...OPEN, ...SETTLED }[state]}.`;

function answerWith(id: RequestId, text: string, modern: boolean): Frame {
  const result: JsonObject = { content: [{ type: "text", text }], ...(modern && { resultType: "complete" }) };
  return { jsonrpc: "2.0", id, result };
}
