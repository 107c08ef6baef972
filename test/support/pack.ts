/** The package as users get it: built and packed in a folder of its own, so that test runs do not share `dist/`. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Builds and packs into `dir`, and returns the path of the tarball, ready for `npm install`. */
export function packInto(dir: string): string {
  const stage = join(dir, "package");
  mkdirSync(stage, { recursive: true });
  run("npx", ["tsdown", "--out-dir", join(stage, "dist"), "--log-level", "error"], root);
  for (const file of ["package.json", "config.schema.json", "README.md", "LICENSE", "CHANGELOG.md"]) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(stage, file));
  }
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", dir], stage)) as [
    { filename: string },
  ];
  return join(dir, packed.filename);
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
