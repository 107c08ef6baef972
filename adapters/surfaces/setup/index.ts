/** What the surfaces share: the configuration file, the store by its address, the guard, the way to a server. */
export { type LoadedConfig, loadConfig } from "./config.ts";
export { connectServer, plainClient, withSdk } from "./connect.ts";
export { type OpenOptions, openGuard, type Setup } from "./guard.ts";
export { lockFile, readLock, writeLock } from "./lock.ts";
export { resolveServer } from "./servers.ts";
export { openStore } from "./store.ts";
