/** Finds and reads the configuration file: indoubt.config.json, or indoubt.config.mjs where hooks are code. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type ParsedConfig, parseConfigFile } from "../../../src/entries/config.ts";
import { IndoubtError, isIndoubtError } from "../../../src/index.ts";
import { literalSecrets } from "./literal-secrets.ts";

export interface LoadOptions {
  /**
   * The file.
   * @default indoubt.config.json or indoubt.config.mjs in `cwd`, or no file at all
   * @example "./ops/indoubt.config.mjs"
   */
  readonly config?: string | undefined;
  /** @default process.cwd() */
  readonly cwd?: string | undefined;
}

export interface LoadedConfig {
  readonly config: ParsedConfig;
  /** The file, absolute; undefined: there is none, and everything has its default. */
  readonly file?: string;
  /** What relative paths of the file are seen from. */
  readonly folder: string;
  /** What works but should not stay so, each with its cure. */
  readonly warnings: readonly string[];
}

const NAMES = ["indoubt.config.json", "indoubt.config.mjs"];

const invalid = (message: string, cause?: unknown): IndoubtError =>
  new IndoubtError("CONFIG_INVALID", message, { cause });

/**
 * @throws IndoubtError CONFIG_INVALID when the file is missing, cannot be read, or says what cannot be
 * @example
 * const { config, file } = await loadConfig({ config: "./ops/indoubt.config.json" });
 */
export async function loadConfig({ config, cwd = process.cwd() }: LoadOptions = {}): Promise<LoadedConfig> {
  const file = config === undefined ? find(cwd) : resolve(cwd, config);
  if (file === undefined) return { config: parseConfigFile({}), folder: resolve(cwd), warnings: [] };
  const parsed = parseConfigFile(await read(file), file);
  return { config: parsed, file, folder: dirname(file), warnings: literalSecrets(parsed, file) };
}

function find(cwd: string): string | undefined {
  const found = NAMES.map((name) => resolve(cwd, name)).filter((file) => existsSync(file));
  if (found.length > 1) {
    throw invalid(`There are two configuration files: ${found.join(" and ")}. Remove one, or say which with --config.`);
  }
  return found[0];
}

function read(file: string): unknown {
  if (!existsSync(file)) throw invalid(`There is no configuration file ${file}. Check the name after --config.`);
  switch (extname(file)) {
    case ".json":
      return readJson(file);
    case ".mjs":
    case ".js":
      return readModule(file);
    default:
      throw invalid(`${file}: a configuration file ends with .json, or with .mjs where hooks are code.`);
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw invalid(`${file} is no JSON: ${said(error)}. Correct it there.`, error);
  }
}

async function readModule(file: string): Promise<unknown> {
  const module: unknown = await import(pathToFileURL(file).href).catch((error: unknown) => {
    // A contract in it is checked where it is written; its own words are better than ours.
    if (isIndoubtError(error)) throw error;
    throw invalid(`${file} cannot be loaded: ${said(error)}. Run it with node to see where.`, error);
  });
  if (typeof module === "object" && module !== null && "default" in module) return module.default;
  throw invalid(
    `${file} has no default export. Write: export default { store: "sqlite:./indoubt.db", servers: { … } };`,
  );
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));
