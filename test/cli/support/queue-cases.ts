/** The queue by command line, on one store: find, understand, settle. One test file for each store, so that they run side by side. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGuard } from "../../../src/index.ts";
import { errorOf, jsonOf, newFolder, type Ran, run, startForTest } from "./command.ts";
import { doubts, type Place } from "./store.ts";

interface Item {
  readonly id: string;
  readonly version: number;
  readonly state: string;
}
interface Detail extends Item {
  readonly ref: string | null;
  readonly attempts: number;
  readonly audit: { actor?: string; reason?: string; from?: string; to?: string }[];
  readonly evidence: { kind: string }[];
}

export function queueCases(placeIn: (cwd: string) => Promise<Place>): void {
  const command = async (): Promise<{ place: Place; indoubt: (...args: string[]) => Promise<Ran> }> => {
    const place = await placeIn(newFolder());
    return { place, indoubt: (...args) => run([...args, ...place.args], place) };
  };

  test("an empty queue says so, and list --json has the documented shape", async () => {
    const { place, indoubt } = await command();
    await place.open().open();
    expect(await indoubt("queue", "list")).toMatchObject({ code: 0, stdout: "Nothing waits for a person.\n" });
    const [id] = await doubts(place, [{}]);
    const listed = await indoubt("queue", "list", "--json");
    expect(listed.code).toBe(0);
    expect(jsonOf(listed)).toEqual({
      items: [
        {
          id,
          version: 3,
          state: "unresolved",
          server: "billing",
          tool: "charge_card",
          age_ms: expect.any(Number),
          reason: "no_way_to_find_out",
          next: expect.stringContaining("decide"),
        },
      ],
      next_cursor: null,
    });
  });

  test("a person finds, understands and settles an item, and the audit says who, what and why", async () => {
    const { place, indoubt } = await command();
    const [id = ""] = await doubts(place, [{ arguments: { order: "1042", cents: 9000, password: "hunter2" } }]);
    const [list, show] = await Promise.all([indoubt("queue", "list"), indoubt("queue", "show", id)]);
    expect(list.stdout).toContain(id);
    expect(list.stdout).toContain('| order: "1042", cents: 9000, password: "[redacted]"');
    expect(list.stderr).toContain(`indoubt queue show ${id}`);
    expect(show.code).toBe(0);
    expect(show.stdout).toMatch(/unresolved, version 3/);
    expect(show.stdout).toContain('|   "order": "1042"');
    expect(show.stdout).not.toContain("hunter2");
    expect(show.stdout).toContain(`indoubt queue resolve ${id} applied --version 3`);

    const words = [
      "--version",
      "3",
      "--reason",
      "in the ledger of 30 November",
      "--ref",
      "CHA-1",
      "--actor",
      "on-call",
    ];
    const settled = await indoubt("queue", "resolve", id, "applied", ...words, "--json");
    expect(settled).toMatchObject({ code: 0, stderr: "" });
    const after = jsonOf<Detail>(settled);
    expect(after).toMatchObject({ id, state: "applied", ref: "CHA-1", attempts: 1 });
    expect(after.audit.at(-1)).toMatchObject({
      actor: "on-call",
      reason: "in the ledger of 30 November",
      to: "applied",
    });
    const [left, again] = await Promise.all([indoubt("queue", "list"), indoubt("queue", "show", id)]);
    expect(left.stdout).toBe("Nothing waits for a person.\n");
    expect(again.stdout).toContain('by "on-call"');
    expect(again.stdout).toContain("| in the ledger of 30 November");
  });

  test("a stale version changes nothing and tells what happened meanwhile (W2)", async () => {
    const { place, indoubt } = await command();
    const [id = ""] = await doubts(place, [{}]);
    const resolve = (verdict: string, actor: string) =>
      indoubt("queue", "resolve", id, verdict, "--version", "3", "--reason", "looked", "--actor", actor, "--json");
    expect((await resolve("applied", "on-call")).code).toBe(0);
    const late = await resolve("not_applied", "finance");
    expect(late.code).toBe(5);
    const error = errorOf(late);
    expect(error).toMatchObject({ code: "RESOLUTION_CONFLICT", exit: 5, details: { id, state: "applied" } });
    expect(error.cure).toContain("queue show");
    const told = await indoubt("queue", "resolve", id, "not_applied", "--version", "3", "--reason", "looked");
    expect(told.stderr).toMatch(/-> applied by "on-call", because "looked"/);
    const shown = jsonOf<Detail>(await indoubt("queue", "show", id, "--json"));
    expect(shown.state).toBe("applied");
    expect(shown.audit.filter(({ actor }) => actor !== undefined)).toHaveLength(1);
  });

  test("operators who decide at the same time: one verdict wins, the others are told, the audit has one (W2)", async () => {
    const { place, indoubt } = await command();
    const [id = ""] = await doubts(place, [{}]);
    const verdicts = ["applied", "not_applied", "abandon", "applied"];
    const words = ["--version", "3", "--reason", "looked", "--json"];
    const ran = await Promise.all(
      verdicts.map((verdict, index) => indoubt("queue", "resolve", id, verdict, ...words, "--actor", `op-${index}`)),
    );
    expect(ran.map(({ code }) => code).sort()).toEqual([0, 5, 5, 5]);
    const winner = ran.findIndex(({ code }) => code === 0);
    const { audit } = jsonOf<Detail>(await indoubt("queue", "show", id, "--json"));
    expect(audit.flatMap(({ actor }) => actor ?? [])).toEqual([`op-${winner}`]);
  });

  test("the same decision handed in twice is one decision", async () => {
    const { place, indoubt } = await command();
    const [id = ""] = await doubts(place, [{}]);
    const words = ["--version", "3", "--reason", "asked the bank", "--decision", "ticket-7", "--json"];
    const first = await indoubt("queue", "resolve", id, "abandon", ...words);
    const second = await indoubt("queue", "resolve", id, "abandon", ...words);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(jsonOf<Detail>(second)).toMatchObject({ state: "abandoned", version: jsonOf<Detail>(first).version });
  });

  test("bulk: a dry run counts and changes nothing, a wrong count decides nothing, the right one decides all", async () => {
    const { place, indoubt } = await command();
    await doubts(place, [{}, {}, {}, { tool: "refund" }]);
    const bulk = (...args: string[]) =>
      indoubt(
        ...["queue", "resolve", "--filter", "tool=charge_card", "abandon", "--reason", "all refunded", "--json"],
        ...args,
      );
    const [preview, wrong] = await Promise.all([bulk("--dry-run"), bulk("--confirm", "2")]);
    expect(preview).toMatchObject({ code: 0, stderr: "" });
    expect(jsonOf(preview)).toMatchObject({ count: 3 });
    expect(wrong.code).toBe(5);
    expect(errorOf(wrong).code).toBe("RESOLUTION_CONFLICT");
    expect(jsonOf<{ items: Item[] }>(await indoubt("queue", "list", "--json")).items).toHaveLength(4);

    const done = await bulk("--confirm", "3");
    expect(done.code).toBe(0);
    expect(jsonOf<{ resolved: Item[]; failed: unknown[] }>(done)).toMatchObject({ failed: [] });
    expect(jsonOf<{ resolved: Item[] }>(done).resolved).toHaveLength(3);
    const left = jsonOf<{ items: { tool: string }[] }>(await indoubt("queue", "list", "--json")).items;
    expect(left.map(({ tool }) => tool)).toEqual(["refund"]);
  });

  test("a settled outcome is corrected; the old one stays in the audit", async () => {
    const { place, indoubt } = await command();
    const [id = ""] = await doubts(place, [{}]);
    await indoubt("queue", "resolve", id, "applied", "--version", "3", "--reason", "thought so");
    const corrected = await indoubt(
      ...["queue", "correct", id, "not_applied", "--version", "4", "--reason", "it was another order", "--json"],
    );
    expect(corrected).toMatchObject({ code: 0, stderr: "" });
    const { state, audit } = jsonOf<Detail>(corrected);
    expect(state).toBe("not_applied");
    expect(audit.flatMap(({ reason }) => (reason?.includes("thought so") ? [reason] : []))).toHaveLength(1);
  });

  test("what a person found is kept as the operator's evidence and marked so", async () => {
    const { place, indoubt } = await command();
    const [id = ""] = await doubts(place, [{}]);
    writeFileSync(join(place.cwd, "found.json"), JSON.stringify({ invoice: "INV-1" }));
    const words = ["--version", "3", "--reason", "in the ledger", "--result", "found.json"];
    expect((await indoubt("queue", "resolve", id, "applied", ...words)).code).toBe(0);
    const shown = await indoubt("queue", "show", id);
    expect(shown.stdout).toContain("NOT the tool's own answer");
    expect(shown.stdout).toContain("INV-1");
    const json = jsonOf<{ answer: object }>(await indoubt("queue", "show", id, "--json"));
    expect(json.answer).toMatchObject({ by: "operator" });
  });

  test("stats counts, journal tells who decided, export writes one line for each", async () => {
    const { place, indoubt } = await command();
    const [id = ""] = await doubts(place, [{}, {}, { tool: "refund" }]);
    await indoubt(
      "queue",
      "resolve",
      id,
      "applied",
      "--version",
      "3",
      "--reason",
      "in the ledger",
      "--actor",
      "on-call",
    );
    const [figures, text, decided, exported] = await Promise.all([
      indoubt("queue", "stats", "--json"),
      indoubt("queue", "stats"),
      indoubt("queue", "journal", "--kind", "verdict", "--json"),
      indoubt("queue", "export"),
    ]);
    const stats = jsonOf(figures);
    expect(stats).toMatchObject({ attention: 2, truncated: false });
    expect(stats.tools).toContainEqual(
      expect.objectContaining({ server: "billing", tool: "charge_card", attention: 1, doubts: 2, landed: 1 }),
    );
    expect(text.stdout).toContain("2 wait for a person");
    const journal = jsonOf<{ items: object[] }>(decided);
    expect(journal.items).toEqual([expect.objectContaining({ id, actor: "on-call", reason: "in the ledger" })]);
    const lines = exported.stdout.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as Detail).state)).toEqual(["unresolved", "unresolved"]);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ arguments: { order: "o-1" }, audit: expect.any(Array) });
  });

  test("filters narrow the list; paging by cursor sees each item once", async () => {
    const { place, indoubt } = await command();
    const ids = await doubts(place, [{}, {}, {}, { tool: "refund", arguments: { order: "needle" } }]);
    const list = async (...args: string[]) =>
      jsonOf<{ items: Item[]; next_cursor: string | null }>(await indoubt("queue", "list", "--json", ...args));
    const found = async (...args: string[]) => (await list(...args)).items.map(({ id }) => id);
    const asked = await Promise.all([
      found("--tool", "refund"),
      found("--filter", "tool=refund"),
      found("--text", "NEEDLE"),
      found("--older", "1h"),
      found("--sort", "newest"),
    ]);
    expect(asked).toEqual([[ids[3]], [ids[3]], [ids[3]], [], [...ids].reverse()]);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await list("--limit", "2", ...(cursor === null ? [] : ["--cursor", cursor]));
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null && seen.length < 10);
    expect(seen.sort()).toEqual([...ids].sort());
  });

  test("watch tells what is there and what changes, as JSON Lines, and ends with 0 on SIGTERM", async () => {
    const { place } = await command();
    const [id = ""] = await doubts(place, [{}]);
    const watching = await startForTest(["queue", "watch", "--json", "--every", "100ms", ...place.args], place);
    await watching.heard(/"added"/);
    const guard = createGuard({ store: place.open() });
    await guard.queue.resolve(id, { verdict: "abandon", version: 3, actor: "on-call", reason: "nobody knows" });
    await guard.close();
    await watching.heard(/"removed"/);
    watching.child.kill("SIGTERM");
    expect((await watching.ended).code).toBe(0);
    const lines = watching.stdout().trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { kind: string; item: Item }).item.id)).toEqual([id, id]);
  });

  test("an id of another namespace is unknown here, and nothing is changed", async () => {
    const { place, indoubt } = await command();
    const [id = ""] = await doubts(place, [{}]);
    const other = { ...(await placeIn(newFolder())) };
    await other.open().open();
    await doubts(other, [{}]);
    const resolve = ["queue", "resolve", id, "applied", "--version", "3", "--reason", "looked", "--json"];
    const there = await run([...resolve, ...other.args], other);
    expect(there.code).toBe(6);
    expect(errorOf(there)).toMatchObject({ code: "NOT_FOUND", exit: 6 });
    expect(jsonOf<Detail>(await indoubt("queue", "show", id, "--json")).state).toBe("unresolved");
  });
}
