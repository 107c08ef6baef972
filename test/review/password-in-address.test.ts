import { expect, it } from "vitest";
import { openStore } from "../../adapters/surfaces/setup/index.ts";

it.each(["redis://:hunter/two@cache:6379", "redis://app:hunter/two@cache:6379", "redis://app:4711/hunter@cache:6379"])(
  "S21: a password that is not percent-encoded is no part of the complaint (%#)",
  async (address) => {
    const opened = openStore(address, { namespace: "acme" }).then(
      () => "opened",
      (error: Error) => error.message,
    );
    expect(await opened).toMatch(/The Redis url cannot be used/);
    expect(await opened).not.toMatch(/hunter|4711|two/);
  },
);
