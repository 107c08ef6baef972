/** Lines in and out of pipes, with every byte as it came. */
import type { Readable, Writable } from "node:stream";

const NEWLINE = 0x0a;
/** A longer line is taken for a stream of something else, in bytes. */
const LONGEST = 256 * 1024 * 1024;

/**
 * Whole lines, each with the newline that ends it; what is left at the end is a line too.
 * @throws Error when one line is longer than 256 MB
 */
export async function* linesOf(stream: Readable): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end + 1);
      yield parts.length === 0 ? piece : Buffer.concat([...parts, piece]);
      parts = [];
      length = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    parts.push(from === 0 ? chunk : chunk.subarray(from));
    length += chunk.length - from;
    if (length > LONGEST) throw new Error("A line is longer than 256 MB.");
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

export interface Sink {
  /** Resolves when the bytes were handed to the other side; false: it is gone. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** Resolves at once, or when a slow reader has caught up. */
  drained(): Promise<void>;
  readonly open: boolean;
}

export function sinkOf(stream: Writable): Sink {
  // The other side may leave at any time; each write says so by itself.
  stream.on("error", () => {});
  const usable = (): boolean => stream.writable && !stream.destroyed;
  const drain = (): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        for (const event of ["drain", "close", "error"]) stream.off(event, done);
        draining = undefined;
        resolve();
      };
      for (const event of ["drain", "close", "error"]) stream.on(event, done);
    });
  // Many may wait for the same reader.
  let draining: Promise<void> | undefined;
  return {
    write: (bytes) =>
      new Promise((resolve) => {
        if (usable()) stream.write(bytes, (error) => resolve(!error));
        else resolve(false);
      }),
    async drained() {
      if (!usable() || !stream.writableNeedDrain) return;
      draining ??= drain();
      await draining;
    },
    get open() {
      return usable();
    },
  };
}
