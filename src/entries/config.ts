/** `indoubt/config`: the configuration file, for programs that start a guard from it. */

export {
  type ConfigFile,
  type ConfigValue,
  guardPolicies,
  type ParsedConfig,
  parseConfigFile,
  type ServerConnection,
  type StoreConfig,
} from "../config-file.ts";
