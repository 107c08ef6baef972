/** A real Chromium for tests and screenshots: the one on PATH; on Debian it is installed when missing. */
import { spawnSync } from "node:child_process";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

// Under a lock, as several test runs may start at once.
const install = `
  set -e
  command -v chromium && exit 0
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y --no-install-recommends chromium fonts-dejavu-core
`;

/** @returns the path of the browser */
export function ensureChromium(): string {
  const there = findChromium();
  if (there) return there;
  console.log("chromium is not on PATH: installing it with apt-get");
  const { error, stderr } = spawnSync("flock", ["/tmp/indoubt-install-chromium.lock", "sh", "-c", install], {
    encoding: "utf8",
  });
  const installed = findChromium();
  if (installed) return installed;
  throw new Error(
    `The page's tests need Chromium on PATH, and it could not be installed: ` +
      `${error?.message ?? stderr.trim().slice(-500)}\n` +
      "Install it yourself: `sudo apt-get install chromium`.",
  );
}

function findChromium(): string | undefined {
  for (const name of NAMES) {
    const { status, stdout } = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
    if (status === 0) return stdout.trim();
  }
  return undefined;
}
