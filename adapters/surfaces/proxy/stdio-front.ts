/** The host on the other end of our stdin and stdout. */
import type { Readable, Writable } from "node:stream";
import type { CallContext } from "../../../src/index.ts";
import { type Frame, idKey, isAnswer, isFrame, isToolCall, type RequestId } from "../../mcp/relay/index.ts";
import { type Back, settled } from "./back.ts";
import { type Refused, refusalOf, refuseRepeatedId } from "./gate.ts";
import { contextOf } from "./identity.ts";
import { linesOf, sinkOf } from "./lines.ts";
import { bytesOf, type Read, readMessage } from "./messages.ts";
import { cancelledIn, receipts } from "./receipts.ts";
import type { StatusTool } from "./status-tool.ts";

export interface StdioFront {
  toHost(message: object): Promise<boolean>;
  rawToHost(bytes: Uint8Array): Promise<boolean>;
  drained(): Promise<void>;
  /** Reads the host until it leaves, then ends the back. */
  serve(back: Back, say: (what: string) => void): Promise<void>;
  /** Ends as if the host had left. */
  leave(): void;
}

export function stdioFront(stdin: Readable, stdout: Writable, status?: StatusTool): StdioFront {
  const sink = sinkOf(stdout);
  const receipt = receipts();
  /** Tool calls that the host waits for. */
  const waiting = new Map<string, RequestId>();
  /** Those that it took back, though their reply may be on its way. */
  const takenBack = new Set<string>();
  let left: () => void = () => {};
  const leaving = new Promise<void>((resolve) => {
    left = resolve;
  });
  stdout.once("error", left);

  const front: StdioFront = {
    rawToHost: (bytes) => sink.write(bytes),
    drained: () => sink.drained(),
    leave: left,
    toHost(message) {
      const key = isFrame(message) && isAnswer(message) ? idKey(message.id) : undefined;
      const id = key === undefined ? undefined : waiting.get(key);
      const written = sink.write(bytesOf(status?.added(message) ?? message));
      if (key !== undefined && takenBack.delete(key)) return written.then(() => false);
      if (id === undefined || key === undefined) return written;
      waiting.delete(key);
      return receipt.await(id, written);
    },
    async serve(back, say) {
      await Promise.race([readHost(back, say), leaving]);
      await receipt.left();
      await settled(back);
      await back.close();
      stdin.destroy();
    },
  };

  async function readHost(back: Back, say: (what: string) => void): Promise<void> {
    try {
      for await (const line of linesOf(stdin)) {
        const read = readMessage(line);
        await receipt.heard(read.value);
        const context = admitted(read, say);
        if (context) await back.fromHost(read, context);
      }
    } catch (error) {
      say(`The host is not read any more: ${String(error)}`);
    }
  }

  /** Undefined: it was refused, and the host has its answer. */
  function admitted(read: Read, say: (what: string) => void): CallContext | undefined {
    const { value } = read;
    const repeated = isToolCall(value) && waiting.has(idKey(value.id) ?? "") ? refuseRepeatedId(value.id) : undefined;
    const refusal = repeated ?? refusalOf(read);
    if (refusal) return void refuse(refusal, say);
    if (status && isFrame(value)) {
      status.notice(value);
      if (status.isFor(value)) return void status.answer(value, undefined).then(front.toHost);
    }
    const cancelled = cancelledIn(value);
    if (cancelled !== undefined && waiting.delete(cancelled)) takenBack.add(cancelled);
    if (!isToolCall(value)) return {};
    takenBack.delete(idKey(value.id) ?? "");
    waiting.set(idKey(value.id) ?? "", value.id);
    return contextOf(value, undefined);
  }

  function refuse({ reply, why }: Refused, say: (what: string) => void): void {
    say(why);
    if (reply) void sink.write(Buffer.from(`${JSON.stringify(reply as Frame)}\n`));
  }

  return front;
}
