import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { connectServer, openGuard } from "../../adapters/surfaces/setup/index.ts";
import { newFolder } from "../stores/sqlite/support.ts";

it("who is told to stop does not wait for a server that never answers (the worker at SIGTERM)", async () => {
  const folder = newFolder();
  const silent = { command: process.execPath, args: ["-e", "console.error('here'); setInterval(() => {}, 1000)"] };
  writeFileSync(
    join(folder, "indoubt.config.json"),
    JSON.stringify({ store: "memory:", secret: "x".repeat(32), servers: { silent } }),
  );
  const setup = await openGuard({ cwd: folder });
  const stop = new AbortController();
  let heard = false;
  const connecting = connectServer(setup, "silent", {
    within: 3_600_000,
    signal: stop.signal,
    onStderr: () => {
      heard = true;
    },
  });
  await expect.poll(() => heard, { timeout: 20_000 }).toBe(true);
  stop.abort();
  await expect(connecting).rejects.toThrow(/closed/i);
  await setup.guard.close();
}, 60_000);
