/** Brings the pages up to date with what the command prints: `npx tsx test/cli/children/write-outputs.ts`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PAGES, page, playOutputs, root, withOutputs } from "../support/outputs.ts";

const cwd = mkdtempSync(join(tmpdir(), "indoubt-outputs-"));
const outputs = await playOutputs(cwd);
rmSync(cwd, { recursive: true });
for (const path of PAGES) writeFileSync(join(root, path), withOutputs(page(path), outputs));
