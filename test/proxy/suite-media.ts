/** The smallest picture and the smallest sound, in base64. */
import { deflateSync } from "node:zlib";

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

function crc(bytes: Buffer): number {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  }
  return ~rest;
}

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([number(data.length), named, number(crc(named))]);
};
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** One pixel, 8 bits for each of red, green and blue. */
const header = Buffer.concat([number(1), number(1), Buffer.from([8, 2, 0, 0, 0])]);
const pixel = deflateSync(Buffer.from([0, 255, 0, 0]));

export const PNG = Buffer.concat([
  signature,
  chunk("IHDR", header),
  chunk("IDAT", pixel),
  chunk("IEND", Buffer.alloc(0)),
]).toString("base64");

/** Silence: one channel, 8 kHz, 8 bits, no sample. */
function wav(): Buffer {
  const bytes = Buffer.alloc(44);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(8_000, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write("data", 36);
  return bytes;
}

export const WAV = wav().toString("base64");
