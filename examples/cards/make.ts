/**
 * Makes the cards of three writing tools of the official servers, as a person would on the command line. Run:
 * npx tsx examples/cards/make.ts
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const data = join(here, "data");
const command = join(here, "../../adapters/surfaces/cli/bin.ts");

const calls = {
  write_file: { path: "note.txt", content: "hello" },
  edit_file: { path: "log.txt", edits: [{ oldText: "END", newText: "END\nentry" }] },
  create_entities: { entities: [{ name: "card", entityType: "test", observations: ["made for a test"] }] },
};

const out = process.argv[2] ?? here;
mkdirSync(data, { recursive: true });
writeFileSync(join(data, "log.txt"), "END\n");
try {
  for (const [tool, call] of Object.entries(calls)) {
    const args = ["card", tool, "--arguments", "-", "--actor", "the examples", "--out", out];
    const ran = spawnSync(process.execPath, ["--import", import.meta.resolve("tsx"), command, ...args], {
      cwd: here,
      input: JSON.stringify(call),
      encoding: "utf8",
      stdio: ["pipe", "pipe", "inherit"],
    });
    console.log(ran.stdout.split("\n").find((line) => line.startsWith(`"${tool}"`)) ?? ran.stdout);
  }
} finally {
  rmSync(data, { recursive: true, force: true });
}
