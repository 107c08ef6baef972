/** Vitest global setup: the tests run on a real redis-server; on Debian and Ubuntu it is installed when missing. */
import { spawnSync } from "node:child_process";

// Runs under a lock, as several test runs may start at once; policy-rc.d keeps the system service from being started.
const install = `
  set -e
  command -v redis-server && exit 0
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    trap 'rm -f $policy' EXIT
    printf '#!/bin/sh\\nexit 101\\n' > $policy
    chmod +x $policy
  fi
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  apt-get update
  apt-get install -y --no-install-recommends redis-server
`;

function hasRedisServer(): boolean {
  return spawnSync("redis-server", ["--version"]).status === 0;
}

export default function ensureRedisServer(): void {
  if (hasRedisServer()) return;
  console.log("redis-server is not on PATH: installing it with apt-get");
  const { error, stderr } = spawnSync("flock", ["/tmp/indoubt-install-redis.lock", "sh", "-c", install], {
    encoding: "utf8",
  });
  if (hasRedisServer()) return;
  throw new Error(
    `The tests need redis-server (6.2 or later) on PATH, and it could not be installed: ` +
      `${error?.message ?? stderr.trim().slice(-500)}\n` +
      "Install it yourself: `sudo apt-get install redis-server` or `brew install redis`.",
  );
}
