/** Values of the configuration file that stand in the environment. */
import { IndoubtError } from "../../../src/index.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws IndoubtError CONFIG_INVALID when the variable is not set */
export function configValue(
  value: string | { readonly env: string; readonly prefix?: string | undefined },
  path: string,
  env: Environment,
): string {
  if (typeof value === "string") return value;
  const found = env[value.env];
  if (found === undefined || found === "") {
    throw new IndoubtError(
      "CONFIG_INVALID",
      `${path}: the environment variable ${value.env} is not set. Set it, or name another one.`,
      { details: { path, variable: value.env } },
    );
  }
  return `${value.prefix ?? ""}${found}`;
}

export function configValues(
  values: Readonly<Record<string, Parameters<typeof configValue>[0]>>,
  path: string,
  env: Environment,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, configValue(value, `${path}.${name}`, env)]),
  );
}
