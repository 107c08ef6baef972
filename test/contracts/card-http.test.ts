/**
 * Cards as `indoubt card` makes them with a real server over Streamable HTTP (S24, C1-06): the key in a header, a sign-in
 * without the right to write, the end of the window. The server's own effects are the judge of what the card says.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseCard } from "../../src/card-file.ts";
import type { Card, Trial } from "../../src/entries/review.ts";
import { errorOf, newFolder, type Ran, run } from "../cli/support/command.ts";

vi.setConfig({ testTimeout: 180_000 });

const program = fileURLToPath(new URL("./children/card-server.ts", import.meta.url));

/** @returns its address */
async function serve(effects: string, settings: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), program, effects, ...settings], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [address] = await once(child.stdout.setEncoding("utf8"), "data");
  return String(address).trim();
}

interface Made extends Ran {
  readonly card: Card;
  trial(name: Trial["name"]): Trial | undefined;
  /** What the server did, by the order that the card made up for a trial. */
  readonly effects: readonly { readonly order: string }[];
}

const settle = ["--settle", "0"];

async function made(settings: readonly string[], options: readonly string[], terms: object = {}): Promise<Made> {
  const cwd = newFolder();
  const url = await serve(join(cwd, "effects.jsonl"), settings);
  const contract = {
    dedupes: "key",
    key: { header: "Idempotency-Key" },
    window: "24h",
    concurrent: "joined",
    mismatch: "rejected",
    replaysErrors: false,
    scope: { caller: "acme", downstream: "included" },
    review: { source: "https://billing.example/docs", by: "ann", on: "2026-11-30" },
    ...terms,
  };
  const reconcile = {
    tool: "find_invoices",
    arguments: { order: "{{arguments/order}}" },
    found: { at: "/structuredContent/invoices", where: { "/order": "{{arguments/order}}" }, identifies: true },
    settle: "1s",
  };
  const tools = {
    find_invoices: { effect: "read" },
    create_invoice: { identityArgs: ["/order"], contract, reconcile },
  };
  const servers = {
    billing: { url, headers: { authorization: "Bearer writer" }, environment: "test", tools },
    readonly: { url, headers: { authorization: "Bearer reader" } },
    elsewhere: { url: "http://127.0.0.1:9/mcp" },
  };
  writeFileSync(join(cwd, "indoubt.config.json"), JSON.stringify({ store: "sqlite:./indoubt.db", servers }));
  const args = ["card", "create_invoice", "--arguments", "-", "--actor", "ann", ...options];
  const ran = await run(args, { cwd, input: '{"order":"o","cents":5}' });
  if (ran.code !== 0 && ran.code !== 8) return { ...ran, card: {} as Card, trial: () => undefined, effects: [] };
  const card = parseCard(JSON.parse(readFileSync(join(cwd, "cards/create_invoice.json"), "utf8")));
  const lines = readFileSync(join(cwd, "effects.jsonl"), "utf8").trim().split("\n");
  return {
    ...ran,
    card,
    trial: (name) => card.trials.find((trial) => trial.name === name),
    effects: lines.map((line) => JSON.parse(line)),
  };
}

/** Trials that make one effect each, and those that make two. */
const ONE = ["once", "repeat", "changed_arguments", "concurrent", "lost_at_once", "lost_after_effect"];

describe("a key in a header", () => {
  test("that the server honours: passed, and the server did what the card says", async () => {
    const { code, card, effects } = await made([], [...settle, "--denied", "readonly"]);
    expect([code, card.verdict]).toEqual([0, "passed"]);
    expect(card.trials.filter(({ name }) => ONE.includes(name)).map(({ effects }) => effects)).toEqual(
      ONE.map(() => 1),
    );
    expect(effects).toHaveLength(card.trials.reduce((sum, { effects = 0 }) => sum + effects, 0));
    expect(effects).toHaveLength(ONE.length + 4);
  });

  test("C1-06 that the server drops without a word: `repeat` fails, and the command ends with 8", async () => {
    const { code, card, trial } = await made(["key=dropped"], settle);
    expect([code, card.verdict]).toEqual([8, "failed"]);
    expect(trial("once")?.verdict).toBe("passed");
    expect(trial("control")?.verdict).toBe("passed");
    expect(trial("repeat")).toMatchObject({ verdict: "failed", effects: 2, answers: ["result", "result"] });
  });

  test("whose repeat takes effect late is caught by the second count, not by the first", async () => {
    const late = await made(["late=4000"], ["--settle", "5"]);
    expect(late.trial("repeat")).toMatchObject({ verdict: "failed", effects: 2 });
    expect(late.trial("repeat")?.why).toContain("(5 s later; 1 at first)");
    expect(late.card.verdict).toBe("failed");
  });
});

describe("a sign-in without the right to write", () => {
  test("that is refused: passed, with no effect", async () => {
    const { trial, card } = await made([], [...settle, "--denied", "readonly"]);
    expect(trial("without_right")).toMatchObject({ verdict: "passed", effects: 0, answers: ["tool error"] });
    expect(card.controls.join()).toContain("A sign-in without the right to write was tried.");
  });

  test.each([
    ["may write all the same", "right=ignored", "result"],
    ["is refused after the work was done", "right=late", "tool error"],
  ])("that %s: failed", async (_what, wrong, answer) => {
    const { code, card, trial } = await made([wrong], [...settle, "--denied", "readonly"]);
    expect([code, card.verdict]).toEqual([8, "failed"]);
    expect(trial("without_right")).toMatchObject({ verdict: "failed", effects: 1, answers: [answer] });
    expect(trial("repeat")?.verdict).toBe("passed");
  });

  test("at another server is refused: what that one denies says nothing", async () => {
    const ran = await made([], [...settle, "--json", "--denied", "elsewhere"]);
    expect(ran.code).toBe(3);
    expect(errorOf(ran).message).toContain("must be the same server");
  });
});

describe("the end of the window", () => {
  const short = { window: "6s", margin: "2s" };

  test("a server that remembers until then passes; what comes after the window is told", async () => {
    const { card, trial } = await made(["window=6000"], [...settle, "--wait", "6"], short);
    expect(card.verdict).toBe("passed");
    expect(trial("end_of_window")).toMatchObject({ verdict: "passed", effects: 1, sends: 2 });
    expect(trial("after_window")).toMatchObject({ verdict: "observed", effects: 2, sends: 2 });
  });

  test("a server that forgets sooner than it promised fails", async () => {
    const { code, card, trial } = await made(["window=2500"], [...settle, "--wait", "6"], short);
    expect([code, card.verdict]).toEqual([8, "failed"]);
    expect(trial("end_of_window")).toMatchObject({ verdict: "failed", effects: 2 });
    expect(trial("repeat")?.verdict).toBe("passed");
  });

  test("is not waited for unless told to", async () => {
    const { card } = await made([], [...settle, "--wait", "5"]);
    expect(card.limits).toContain("Not tested: end_of_window (the window is too long to wait for).");
  });
});
