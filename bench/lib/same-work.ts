/**
 * The floor: two scripts that do what `begin` and `swap` have to do in Redis (look for the record, own a hold, write record
 * and payload, keep the due index, carry the delivery of the call before), with nothing around them: no cryptography, no
 * codec, no check of marks, and arguments that are ready to send.
 */
import { Redis } from "ioredis";
import type { Case } from "./measure.ts";

const BEGIN = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local hw = tonumber(redis.call('HGET', KEYS[1], 'hw') or 0)
if redis.call('GET', KEYS[4]) then return {'exists', now, hw} end
if ARGV[5] ~= '' then
  local record = ARGV[6]
  local old = redis.call('GET', record)
  if old then
    redis.call('SET', record, ARGV[3], 'PXAT', now + 2592000000)
    redis.call('PEXPIREAT', ARGV[7], now + 86400000)
    redis.call('ZREM', KEYS[3], ARGV[5])
    if redis.call('HGET', KEYS[2], ARGV[8]) == ARGV[5] then redis.call('HDEL', KEYS[2], ARGV[8]) end
  end
end
local owner = redis.call('HGET', KEYS[2], ARGV[2])
if owner then return {'held', now, owner} end
redis.call('SET', KEYS[4], ARGV[3])
redis.call('SET', KEYS[5], ARGV[4])
redis.call('ZADD', KEYS[3], now + 30000, ARGV[1])
redis.call('HSETNX', KEYS[2], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[1], 'hw', hw + 1, 'lt', now)
return {'created', now, hw + 1}`;

const SETTLE = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local hw = tonumber(redis.call('HGET', KEYS[1], 'hw') or 0)
local old = redis.call('GET', KEYS[3])
if not old or string.sub(old, 1, 1) ~= '1' then return {'stale', now, hw} end
redis.call('SET', KEYS[3], ARGV[2])
redis.call('SET', KEYS[4], ARGV[3], 'PX', 86400000)
redis.call('ZADD', KEYS[2], now + 86400000, ARGV[1])
redis.call('HSET', KEYS[1], 'hw', hw + 1, 'lt', now)
return {'swapped', now, hw + 1}`;

type Script = (...args: string[]) => Promise<unknown>;

const BODY = "x".repeat(190);
const PAYLOAD = "p".repeat(220);

/** Two EVALSHA that do the same work. */
export async function sameWork(url: string): Promise<Case> {
  const redis = new Redis(url);
  redis.defineCommand("benchBegin", { lua: BEGIN, numberOfKeys: 5 });
  redis.defineCommand("benchSettle", { lua: SETTLE, numberOfKeys: 4 });
  const { benchBegin, benchSettle } = redis as unknown as { benchBegin: Script; benchSettle: Script };
  const [meta, holds, due] = ["{floor}m", "{floor}f", "{floor}d"];
  const run = Math.random().toString(36).slice(2, 10);
  const delivered: string[] = [];
  return {
    name: "two EVALSHA, same work",
    async run(n) {
      const id = `${run}${n}`;
      const [record, payload, hold] = [`{floor}r:${id}`, `{floor}p:${id}`, `f${id}`];
      const last = delivered.shift() ?? "";
      const ride = [last, `{floor}r:${last}`, `{floor}p:${last}`, `f${last}`];
      await benchBegin.call(redis, meta, holds, due, record, payload, id, hold, `1|${BODY}`, PAYLOAD, ...ride);
      await benchSettle.call(redis, meta, due, record, payload, id, `2|${BODY}`, PAYLOAD);
      delivered.push(id);
    },
    close: () => redis.disconnect(),
  };
}

/** Two EVALSHA that do nothing at all. */
export async function emptyScripts(url: string): Promise<Case> {
  const redis = new Redis(url);
  redis.defineCommand("benchNothing", { lua: "return 1", numberOfKeys: 1 });
  const { benchNothing } = redis as unknown as { benchNothing: Script };
  return {
    name: "two EVALSHA, return 1",
    async run() {
      await benchNothing.call(redis, "floor");
      await benchNothing.call(redis, "floor");
    },
    close: () => redis.disconnect(),
  };
}

export async function pings(url: string): Promise<Case> {
  const redis = new Redis(url);
  return {
    name: "two PING",
    async run() {
      await redis.ping();
      await redis.ping();
    },
    close: () => redis.disconnect(),
  };
}

/** SET NX before, SET after: what most code does by hand. */
export async function setTwice(url: string): Promise<Case> {
  const redis = new Redis(url);
  const run = Math.random().toString(36).slice(2, 10);
  return {
    name: "SET NX + SET",
    async run(n) {
      await redis.set(`set:${run}${n}`, "1", "NX");
      await redis.set(`set:${run}${n}`, PAYLOAD, "PX", 86_400_000);
    },
    close: () => redis.disconnect(),
  };
}
