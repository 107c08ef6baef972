import { describe, expect, it } from "vitest";
import { faultServerCommand, startFaultServer } from "../../../adapters/testing/index.ts";
import { CLIENTS, connect } from "./support/clients.ts";
import { fakeGuard } from "./support/fake-guard.ts";

const order = { customer: "c1", order: "o1", amount: 10 };
describe.each(CLIENTS)("%s", (name) => {
  it.each(["http", "stdio"])("passes a clean call over %s", async (kind) => {
    const server = kind === "http" ? await startFaultServer() : faultServerCommand();
    const guard = fakeGuard();
    const client = await connect(name, server, { guard });
    const result = await client.call("create_invoice", order);
    expect(result.isError).toBeFalsy();
    expect(server.log.effects("create_invoice")).toHaveLength(1);
    expect(guard.outcomes.map((o) => o.kind)).toEqual(["succeeded"]);
    expect(guard.told).toEqual(guard.outcomes);
    await client.close();
    await ("close" in server ? server.close() : server.remove());
  });
});
