/** Brings the pages up to date with the examples and the demo: `npx tsx test/docs/children/write.ts`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runExample } from "../support/run-example.ts";
import { page, pages, root, withDemoOutput, withSnippets } from "../support/snippets.ts";

const cwd = mkdtempSync(join(tmpdir(), "indoubt-docs-"));
const { stdout } = await runExample("../adapters/surfaces/cli/bin.ts", { cwd, args: ["demo"] });
rmSync(cwd, { recursive: true });
for (const path of pages()) writeFileSync(join(root, path), withDemoOutput(withSnippets(page(path)), stdout));
