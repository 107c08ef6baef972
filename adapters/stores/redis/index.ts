/** `indoubt/redis`: records on Redis or Valkey. */
export type { RedisStoreOptions } from "./options.ts";
export { type RedisStore, redisStore } from "./redis-store.ts";
