/** The type of the configuration file that editors show is what the parser takes, key by key. */
import { expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { configFileSchema } from "../../src/config-file.ts";
import type { ConfigFile, ServerConnection } from "../../src/entries/config.ts";
import type { GuardOptions, ServerOptions } from "../../src/index.ts";

type Parsed = z.input<typeof configFileSchema>;

it("of the file: the options of a guard but clock and recovery, and its own", () => {
  expectTypeOf<keyof ConfigFile>().toEqualTypeOf<keyof Parsed>();
  expectTypeOf<Exclude<keyof GuardOptions, keyof ConfigFile>>().toEqualTypeOf<"clock" | "recovery">();
  expectTypeOf<Parsed>().toExtend<ConfigFile>();
});

it("of a server: the options of a server, and how it is reached", () => {
  expectTypeOf<keyof NonNullable<Parsed["servers"]>[string]>().toEqualTypeOf<
    keyof ServerOptions | keyof ServerConnection
  >();
});
