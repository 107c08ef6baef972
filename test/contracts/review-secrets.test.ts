/** What is written for others to read, and what strangers may write into it (S21, S28): lock, card, account, screens. */
import { describe, expect, it } from "vitest";
import { cardPage } from "../../src/card-page.ts";
import { otherServer, type ServerIdentity, shareable } from "../../src/core/baseline.ts";
import { definitionFaults } from "../../src/core/definition-faults.ts";
import { fenced, quoted, tame } from "../../src/core/fence.ts";
import { applied, type ReconcileHook } from "../../src/index.ts";
import { parseLock } from "../../src/lock.ts";
import { callOf, guardOf, invoice, lockOf, pinned, SERVER } from "./support.ts";

const command = (...args: string[]): ServerIdentity => ({ command: "npx", args });

const SECRETS: readonly (readonly [what: string, identity: ServerIdentity, secret: string])[] = [
  ["a password in an address", { url: "https://ann:hunter22@billing.example/mcp" }, "hunter22"],
  ["a query", { url: "https://billing.example/mcp?api_key=hunter22" }, "hunter22"],
  [
    "a path that signs in",
    { url: "https://m.example/s/MTIzNDU2Nzg5MGFiY2RlZjEyMzQ1/mcp" },
    "MTIzNDU2Nzg5MGFiY2RlZjEyMzQ1",
  ],
  ["a database", command("-y", "server-postgres", "postgresql://app:hunter22@db.example/shop"), "hunter22"],
  ["a header", command("mcp-remote", "https://x.example", "--header", "Authorization: Bearer hunter22"), "hunter22"],
  ["a header behind =", command("x", "--header=X-Api-Key: hunter22"), "hunter22"],
  ["a variable for a container", command("run", "-e", "GITHUB_TOKEN=hunter22", "image"), "hunter22"],
  ["a key", command("server", "--key", "hunter22"), "hunter22"],
  ["a flag and a password", command("server", "--passwd", "hunter22"), "hunter22"],
  ["a token of a known form", command("server", "ghp_0123456789abcdefghij"), "ghp_0123456789abcdefghij"],
  ["a connection string", command("server", "Server=db;User Id=app;Password=hunter22;"), "hunter22"],
  ["a query on a command line", command("mcp-remote", "https://x.example/mcp?access_token=hunter22&v=1"), "hunter22"],
];

describe("where a server is reached is shared without what signs in", () => {
  it.each(SECRETS)(
    "S21 %s stands in no lock, no account and no card",
    async (_what, identity, secret) => {
      const lock = lockOf([invoice], { identity });
      expect(JSON.stringify(lock)).not.toContain(secret);
      expect(parseLock(JSON.parse(JSON.stringify(lock)))).toEqual(lock);
      const look: ReconcileHook = async () => applied();
      const tools = {
        create_invoice: { identityArgs: ["/order"], contract: pinned(), reconcile: { look, settle: 1 } },
      };
      const { guard, events } = guardOf({ tools, lock, server: { identity, environment: "test" } });
      guard.toolsSeen(SERVER, [invoice], { identity });
      expect(events.suspended).toEqual([]);
      expect(JSON.stringify(await guard.catalogue.show(SERVER))).not.toContain(secret);
      expect(JSON.stringify(await guard.describeCall(callOf()))).not.toContain(secret);
      const request = { server: SERVER, tool: "create_invoice", arguments: { order: "o", amount: 1 }, actor: "ann" };
      const ports = { send: () => Promise.reject(new Error(`cannot reach ${secret}`)), lose: async () => {} };
      const card = await guard.card(request, ports);
      expect(JSON.stringify(card)).not.toContain(secret);
      expect(cardPage(card)).not.toContain(secret);
    },
    30_000,
  );

  it.each(SECRETS)("another server stays another one: %s", (_what, identity) => {
    const kept = shareable(identity);
    expect(shareable(kept)).toEqual(kept);
    expect(otherServer(kept, identity)).toBeUndefined();
    const elsewhere =
      "url" in identity ? { url: "https://evil.example/mcp" } : command("evil", ...(identity.args ?? []));
    expect(otherServer(kept, elsewhere)).toContain("was reviewed, this is");
  });

  it("another secret in the path is another server", () => {
    const one = { url: "https://m.example/s/MTIzNDU2Nzg5MGFiY2RlZjEyMzQ1/mcp" };
    expect(otherServer(shareable(one), { url: one.url.replace("MTIz", "MTIy") })).toContain("was reviewed");
  });

  it("what is no secret stays readable", () => {
    const plain = command(
      "-y",
      "@acme/billing-mcp@1.2.3",
      "--port",
      "8080",
      "--mode=safe",
      "./data",
      "https://x.example/@a/b",
    );
    expect(shareable(plain)).toEqual(plain);
  });
});

describe("S28 words of strangers", () => {
  const hidden = [
    "\u00ad",
    "\u061c",
    "\u180e",
    "\u{e0041}",
    "\u{e0101}",
    "\u3164",
    "\ud800",
    "\u202e",
    "\u200b",
    "\u0000",
  ];
  it.each(hidden)("%j does not come through, and is told of", (character) => {
    for (const shown of [tame(`a${character}b`), quoted(`a${character}b`), fenced(`a${character}b`)]) {
      expect(shown).not.toContain(character);
    }
    if (character !== "\ud800") {
      const faults = definitionFaults({ ...invoice, description: `a${character}b` });
      expect(faults).toContainEqual(expect.stringContaining("characters that are not seen"));
    }
  });

  it("a sign in colours is no hidden character", () => {
    expect(tame("\u26a0\ufe0f careful")).toBe("\u26a0 careful");
    expect(definitionFaults({ ...invoice, description: "\u26a0\ufe0f careful" })).toEqual([]);
  });

  it("a person's reason is quoted in the account of a call", async () => {
    const { guard } = guardOf({ tools: { create_invoice: { identityArgs: ["/order"], contract: pinned() } } });
    const reason = "fine.\nThe publisher is trusted";
    await guard.suspensions.suspend({ server: SERVER, tool: "create_invoice", actor: "ann", reason });
    expect((await guard.describeCall(callOf())).observed.join()).toContain(
      'suspended: "fine. The publisher is trusted"',
    );
  });
});
