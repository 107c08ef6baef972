/** `indoubt tools …` and `indoubt probe`, as built, with the official servers and with one that changes (S22, S26, S27). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import type { Lock } from "../../src/entries/review.ts";
import { parseLock } from "../../src/lock.ts";
import { errorOf, jsonOf, newFolder, run } from "../cli/support/command.ts";

vi.setConfig({ testTimeout: 180_000 });

const root = join(import.meta.dirname, "../..");
const official = (name: string) => join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const node = process.execPath;

const lockIn = (cwd: string): Lock => parseLock(JSON.parse(readFileSync(join(cwd, "indoubt.lock.json"), "utf8")));

/** A copy of the paged server in the folder, so that its program may be changed. */
function shop(cwd = newFolder(), tools: object = { create_invoice: { identityArgs: ["/order"] } }): string {
  const source = readFileSync(fileURLToPath(new URL("./children/paged-server.ts", import.meta.url)), "utf8");
  writeFileSync(
    join(cwd, "server.mts"),
    source.replaceAll(
      /from "(@modelcontextprotocol[^"]+)"/g,
      (_all, path: string) => `from "${import.meta.resolve(path)}"`,
    ),
  );
  const shopServer = { command: node, args: ["--import", import.meta.resolve("tsx"), "./server.mts"], tools };
  writeFileSync(
    join(cwd, "indoubt.config.json"),
    JSON.stringify({ store: "sqlite:./indoubt.db", servers: { shop: shopServer } }),
  );
  return cwd;
}
const edit = (cwd: string, file: string, change: (text: string) => string) =>
  writeFileSync(join(cwd, file), change(readFileSync(join(cwd, file), "utf8")));

describe("the official servers, reviewed for real", () => {
  const cwd = () => {
    const folder = newFolder();
    const data = join(folder, "data");
    mkdirSync(data);
    const servers = {
      memory: { command: node, args: [official("memory")], env: { MEMORY_FILE_PATH: join(data, "memory.jsonl") } },
      files: { command: node, args: [official("filesystem"), data] },
      everything: { command: node, args: [official("everything"), "stdio"] },
    };
    writeFileSync(join(folder, "indoubt.config.json"), JSON.stringify({ store: "sqlite:./indoubt.db", servers }));
    return folder;
  };

  test("S22 S26 every tool is shown with its claims and recorded with who reviewed it; a second look finds no drift", async () => {
    const folder = cwd();
    const review = await run(["tools", "review", "--yes", "--actor", "ann"], { cwd: folder });
    expect(review.stderr).toBe("");
    expect(review.code).toBe(0);
    expect(review.stdout).toContain('"create_entities"');
    expect(review.stdout).toContain('"write_file"');
    expect(review.stdout).toMatch(/The publisher (declares|does not declare) idempotentHint/);
    const lock = lockIn(folder);
    expect(Object.keys(lock.servers)).toEqual(["memory", "files", "everything"]);
    expect(Object.keys(lock.servers.files?.catalogues[0]?.tools ?? {})).toEqual(
      expect.arrayContaining(["write_file", "read_text_file", "move_file"]),
    );
    expect(lock.servers.memory?.catalogues[0]?.tools.create_entities?.review.by).toBe("ann");
    expect(lock.servers.memory).toMatchObject({
      identity: { command: node, package: expect.stringMatching(/^sha256-/) },
      release: { name: expect.any(String) },
    });

    const diff = await run(["tools", "diff"], { cwd: folder });
    expect([diff.code, diff.stdout]).toEqual([0, "memory: as reviewed\nfiles: as reviewed\neverything: as reviewed\n"]);
  });

  test("what claims to be read-only is offered in one step, and declared only when the operator says so", async () => {
    const folder = cwd();
    await run(["tools", "review", "memory", "--yes", "--actor", "ann"], { cwd: folder });
    expect(readFileSync(join(folder, "indoubt.config.json"), "utf8")).not.toContain("read");
    const review = await run(["tools", "review", "memory", "files", "--yes", "--actor", "ann", "--reads", "--json"], {
      cwd: folder,
    });
    const { reads } = jsonOf<{ reads: { server: string; tool: string }[] }>(review);
    const config = JSON.parse(readFileSync(join(folder, "indoubt.config.json"), "utf8"));
    for (const { server, tool } of reads) expect(config.servers[server].tools[tool]).toEqual({ effect: "read" });
    expect(reads.map(({ tool }) => tool)).toEqual(expect.arrayContaining(["read_graph", "read_text_file"]));
    expect(reads.map(({ tool }) => tool)).not.toContain("write_file");
  });
});

describe("a server that changes", () => {
  test("drift in words, exit code 8, and a review that accepts it", async () => {
    const cwd = shop();
    await run(["tools", "review", "--yes", "--actor", "ann"], { cwd });
    expect((await run(["tools", "diff"], { cwd })).code).toBe(0);

    edit(cwd, "server.mts", (text) =>
      text.replace("properties: { order: {} }", "properties: { order: {}, note: {} }").replace("1.0.0", "2.0.0"),
    );
    const diff = await run(["tools", "diff"], { cwd });
    expect(diff.code).toBe(8);
    expect(diff.stdout).toContain('+ "/inputSchema/properties/note"');
    expect(diff.stdout).toContain('"paged 1.0.0" was reviewed; the server now calls itself "paged 2.0.0"');
    expect(diff.stdout).toContain("the program's files have changed");
    const json = jsonOf<{ servers: { drift: { kind: string; counts: boolean }[] }[] }>(
      await run(["tools", "diff", "--json"], { cwd }),
    );
    expect(json.servers[0]?.drift[0]).toMatchObject({ kind: "changed", counts: true });

    await run(["tools", "review", "--yes", "--actor", "bob"], { cwd });
    expect((await run(["tools", "diff"], { cwd })).code).toBe(0);
    expect(lockIn(cwd).servers.shop?.catalogues[0]?.tools.create_invoice?.review.by).toBe("bob");
  });

  test("a lock edited by hand stops every command that would use it; --fresh begins a new one", async () => {
    const cwd = shop();
    await run(["tools", "review", "--yes", "--actor", "ann"], { cwd });
    edit(cwd, "indoubt.lock.json", (text) => text.replace('"ann"', '"eve"'));
    const stopped = await run(["tools", "diff", "--json"], { cwd });
    expect(stopped.code).toBe(3);
    expect(errorOf(stopped).message).toContain("was changed after the review");
    expect((await run(["tools", "review", "--fresh", "--yes", "--actor", "ann"], { cwd })).code).toBe(0);
    expect((await run(["tools", "diff"], { cwd })).code).toBe(0);
  });

  test("suspended by drift, it is listed with its reason, and resumed only with one", async () => {
    const review = { source: "docs", by: "ann", on: "2026-11-30" };
    const terms = {
      dedupes: "key",
      key: { meta: "acme/key" },
      window: "24h",
      concurrent: "rejected",
      mismatch: "rejected",
      replaysErrors: false,
    };
    const contract = { ...terms, scope: { caller: "acme", downstream: "included" }, review };
    const cwd = shop(newFolder(), { create_invoice: { identityArgs: ["/order"], contract } });
    await run(["tools", "review", "--yes", "--actor", "ann"], { cwd });
    edit(cwd, "server.mts", (text) => text.replace("1.0.0", "2.0.0"));
    await run(["tools", "diff"], { cwd });

    const list = await run(["tools", "resume"], { cwd });
    expect(list.stdout).toContain('"shop" "create_invoice":');
    expect(list.stdout).toContain("the program's files have changed");
    expect(list.stdout).not.toContain('{"kind"');
    expect(list.stderr).toContain("tools review");
    const silent = await run(["tools", "resume", "create_invoice", "--json"], { cwd });
    expect([silent.code, errorOf(silent).message]).toEqual([2, "A decision needs a reason."]);
    const done = await run(["tools", "resume", "create_invoice", "--reason", "looked", "--actor", "ann"], { cwd });
    expect(done.stdout).toBe('"create_invoice" of "shop" is back in force.\n');
    expect((await run(["tools", "resume"], { cwd })).stdout).toBe("Nothing is suspended.\n");
  });

  test("a review without a terminal and without --yes is refused, and writes nothing", async () => {
    const cwd = shop();
    const refused = await run(["tools", "review", "--json"], { cwd });
    expect([refused.code, errorOf(refused).message]).toEqual([2, "A review needs a yes."]);
    expect(existsSync(join(cwd, "indoubt.lock.json"))).toBe(false);
  });
});

describe("explain and probe", () => {
  test("S07 a call in plain words, with the digest for perform({ expect })", async () => {
    const cwd = shop();
    writeFileSync(join(cwd, "call.json"), '{"order":"o-7","force":true}');
    const told = await run(["tools", "explain", "create_invoice", "--arguments", "call.json"], { cwd });
    expect(told.code).toBe(0);
    expect(told.stdout).toMatch(/^Server\n {2}"shop"\n/);
    expect(told.stdout).toContain("Digest: ");
    expect(told.stdout).toContain('The argument "/force" is true');
    const json = jsonOf<{ digest: string; effect: string }>(
      await run(["tools", "explain", "shop/create_invoice", "--arguments", "-", "--json"], {
        cwd,
        input: '{"order":"o-7"}',
      }),
    );
    expect(json).toMatchObject({ effect: "write", digest: expect.any(String) });
  });

  test("a probe shows its request and its meaning, and asks only when told to", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "data"));
    const reconcile = {
      tool: "read_text_file",
      arguments: { path: "{{arguments/path}}" },
      found: { at: "/structuredContent/content", where: { "": "{{arguments/content}}" } },
      settle: "5s",
    };
    const files = {
      command: node,
      args: [official("filesystem"), join(folder, "data")],
      tools: { read_text_file: { effect: "read" }, write_file: { identityArgs: ["/path"], reconcile } },
    };
    writeFileSync(
      join(folder, "indoubt.config.json"),
      JSON.stringify({ store: "sqlite:./indoubt.db", servers: { files } }),
    );
    const path = join(folder, "data", "a.txt");
    writeFileSync(join(folder, "call.json"), JSON.stringify({ path, content: "hello" }));
    const dry = await run(["probe", "write_file", "--arguments", "call.json"], { cwd: folder });
    expect(dry.stdout).toContain('Asked: the read "read_text_file"');
    expect(dry.stdout).toContain("cause unknown");
    writeFileSync(path, "hello");
    const asked = jsonOf<{ observation: object }>(
      await run(["probe", "write_file", "--arguments", "call.json", "--ask", "--json"], { cwd: folder }),
    );
    expect(asked.observation).toEqual({ kind: "applied", attributed: false });
    writeFileSync(path, "other");
    const other = jsonOf<{ observation: object }>(
      await run(["probe", "write_file", "--arguments", "call.json", "--ask", "--json"], { cwd: folder }),
    );
    expect(other.observation).toEqual({ kind: "absent" });
  });
});
