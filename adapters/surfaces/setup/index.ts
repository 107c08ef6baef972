/** What the surfaces share: the configuration file, the store by its address, the guard, the way to a server. */
export { type LoadedConfig, type LoadOptions, loadConfig } from "./config.ts";
export { type Connection, type ConnectOptions, connectServer, withSdk } from "./connect.ts";
export { type OpenOptions, openGuard, type Setup } from "./guard.ts";
export { type ResolvedServer, resolveServer } from "./servers.ts";
export { type OpenedStore, openStore, type StoreOptions } from "./store.ts";
