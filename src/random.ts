/** Random bytes are drawn in blocks: one system call for many nonces, ids and tokens. No byte is handed out twice. */
import { randomBytes } from "node:crypto";

const BLOCK = 4_096;
let block = Buffer.alloc(0);
let used = 0;

/** @param count at most 64 */
export function freshBytes(count: number): Buffer {
  if (used + count > block.length) {
    block = randomBytes(BLOCK);
    used = 0;
  }
  used += count;
  return block.subarray(used - count, used);
}
