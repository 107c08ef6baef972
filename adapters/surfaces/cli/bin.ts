#!/usr/bin/env node
/** The `indoubt` command. */
import { main } from "./main.ts";

process.exitCode = await main(process.argv.slice(2));
