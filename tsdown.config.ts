import { defineConfig } from "tsdown";
import { entries, programs } from "./scripts/entries.ts";

// One build for all entries, so that they share chunks: the root exists once, whichever entry is loaded.
export default defineConfig({
  entry: { ...entries, ...programs },
  format: "esm",
  platform: "node",
  target: "node20",
  fixedExtension: false,
  dts: true,
  deps: { onlyBundle: [] },
  hash: false,
  outputOptions: { chunkFileNames: "chunks/[name].js" },
});
