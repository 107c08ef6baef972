import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/redis-binary.ts"],
    pool: "forks",
    // Most of a test's time is waiting: for a child, a lease, a time limit. The default is one worker on two cores.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A busy machine is slow, not wrong.
    expect: { poll: { timeout: 15_000 } },
    watch: false,
  },
});
