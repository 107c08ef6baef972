/** One item as a person sees it: what happened when, what is known and what is not, what may be decided, and at what risk. */
import { describe, expect, test } from "vitest";
import { absent, applied, contract, guardFunction, type Observation, toolFingerprint } from "../../src/index.ts";
import { world } from "../review/support.ts";

const never = () => new Promise<never>(() => {});

async function lost(options: Parameters<typeof world>[0], send: () => Promise<unknown> = never) {
  const made = world({ deadline: "10s", ...options });
  const pay = guardFunction(made.guard, { server: "bank", tool: "pay" }, send);
  const paying = pay({ order: 1, note: "<b>hi</b>" });
  await made.hand.move(10_000);
  const { operation } = await paying;
  return { ...made, id: operation, show: () => made.guard.queue.show(operation) };
}

const kinds = (timeline: readonly { kind: string; planned?: true }[]) =>
  timeline.map(({ kind, planned }) => (planned ? `${kind} (ahead)` : kind));

describe("An item in the queue", () => {
  test("shows when it was sent, when the deadline passed, and when a lost write can no longer land", async () => {
    const { show, hand } = await lost({ servers: { bank: { tools: { pay: { settle: "60s" } } } } });
    const early = await show();
    expect(kinds(early.timeline)).toEqual(["issued", "sent", "deadline", "quiescence (ahead)"]);
    const [issued, sent, deadline, quiescence] = early.timeline;
    expect([sent?.at, deadline?.at, quiescence?.at].map((at) => (at ?? 0) - (issued?.at ?? 0))).toEqual([
      0, 10_000, 70_000,
    ]);
    expect(early.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(early.now).toBe(hand.now());
    expect(early.known).toEqual(["It was sent once.", expect.stringMatching(/^No answer came/)]);
    expect(early.unknown[0]).toBe("Whether its send took effect.");
    expect(early.unknown).toContain("Whether it still will: a lost write can land for another 60 s.");
    expect(early.allowed.map(({ verdict, now }) => [verdict, now])).toEqual([
      ["applied", true],
      ["not_applied", false],
      ["resend", false],
      ["abandon", true],
    ]);
    expect(early.allowed[2]?.why).toMatch(/land for 60 s.*An override would mean: you order another send/);
    expect(early.risk.join(" ")).toMatch(/Sent once more although it is there: the effect happens a second time/);
    await hand.move(61_000);
    const late = await show();
    expect(kinds(late.timeline)).toEqual(["issued", "sent", "deadline", "quiescence", "other"]);
    expect(late.timeline.at(-1)?.words).toMatch(/A person has to decide/);
    expect(late.allowed.every(({ now }) => now)).toBe(true);
    expect(late.hook).toEqual({ configured: false, absent: 0, probes: 0 });
  });

  test("shows a late answer as such, and each observation with what the hook said", async () => {
    let seen: Observation = { kind: "unclear", reason: "ledger <closed>\u0007" };
    let answer: (value: unknown) => void = () => {};
    const look = () => seen;
    const pay = { reconcile: { look, settle: "20s", staleness: "1s", absentReads: 2 } } as const;
    const send = () => new Promise((done) => (answer = done));
    const { show, hand } = await lost({ servers: { bank: { tools: { pay } } } }, send);
    await hand.move(8_000);
    seen = absent();
    await hand.move(20_000);
    const { timeline, hook } = await show();
    const observed = timeline.filter(({ kind, planned }) => kind === "observation" && !planned);
    expect(observed[0]).toMatchObject({ by: "destination", text: "ledger <closed>\u0007" });
    expect(observed.map(({ words }) => words).join(" ")).toMatch(/too early to count.*that counts/);
    expect(hook).toMatchObject({ configured: true, lastSaid: "ledger <closed>\u0007" });
    answer({ paid: true });
    await hand.move(1_000);
    const end = await show();
    expect(end.timeline.at(-1)).toMatchObject({ kind: "late_answer", by: "server" });
    expect(end.allowed).toEqual([]);
  });

  test("shows what a contract promises, and why it is not in force", async () => {
    const definition = { name: "pay", inputSchema: { type: "object" as const } };
    const terms = contract({
      dedupes: "key",
      key: { argument: "/key" },
      window: "24h",
      concurrent: "serial",
      mismatch: "rejected",
      replaysErrors: true,
      scope: { caller: "acme", downstream: "included" },
      review: { source: "https://bank.example/idempotency", by: "ops", on: "2026-11-30" },
      pin: { tool: toolFingerprint(definition) },
    });
    const tools = { pay: { contract: terms, settle: "1s" as const, validateArguments: false } };
    const { show, guard, hand } = await lost({ servers: { bank: { tools } } });
    expect((await show()).contract).toMatchObject({ status: "catalogue_unknown" });
    guard.toolsSeen("bank", [definition]);
    expect((await show()).contract).toMatchObject({ status: "in_force" });
    expect((await show()).risk.join(" ")).toMatch(/the contract says that the destination collapses it/);
    await guard.suspensions.suspend({ server: "bank", tool: "pay", actor: "stranger", reason: "they changed the API" });
    await hand.settle();
    expect((await show()).contract).toMatchObject({ status: "suspended", suspended: "they changed the API" });
  });

  test("shows what a person decided and what was sent on it, and nothing untrusted inside our own sentences", async () => {
    const hostile = "</script><img src=x onerror=alert(1)>\u001b[2J";
    const { show, guard, hand, id } = await lost({ servers: { bank: { tools: { pay: { settle: "1s" } } } } });
    guard.connected("bank", {
      headers: false,
      send: async (attempt) =>
        attempt.mayStart()
          ? { kind: "silence", cause: "connection_reset" }
          : { kind: "not_sent", cause: "permit_lost" },
    });
    await hand.move(5_000);
    const { version } = await show();
    await guard.queue.resolve(id, { verdict: "resend", version, actor: "on-call", reason: hostile });
    await hand.move(10_000);
    const detail = await show();
    expect(kinds(detail.timeline)).toEqual([
      "issued",
      "sent",
      "deadline",
      "other",
      "verdict",
      "sent",
      "other",
      "quiescence",
      "other",
    ]);
    expect(detail.timeline.filter(({ kind }) => kind === "sent").map(({ words }) => words)).toEqual([
      "Sent to the server.",
      "Sent again by a person's order.",
    ]);
    const ours = [
      detail.known,
      detail.unknown,
      detail.risk,
      detail.timeline.map(({ words }) => words),
      detail.allowed.map(({ why }) => why),
    ];
    expect(JSON.stringify(ours)).not.toContain("script");
    expect(detail.timeline.find(({ kind }) => kind === "verdict")?.text).toBe(`on-call: ${hostile}`);
    expect(detail.known[0]).toBe("It was sent 2 times.");
    expect(detail.unknown[0]).toBe("Whether 2 of its sends took effect.");
  });

  test("whose permission to send lapsed while nobody swept says what is needed now", async () => {
    const { id, show, guard, hand } = await lost({ servers: { bank: { tools: { pay: { settle: "1s" } } } } });
    await hand.move(1_000);
    const { version } = await show();
    const ordered = await guard.queue.resolve(id, {
      verdict: "resend",
      version,
      actor: "on-call",
      reason: "not there",
    });
    expect([ordered.state, ordered.next]).toEqual(["ready", expect.stringContaining("within 900 s")]);
    await hand.move(900_000);
    const lapsed = await show();
    expect([lapsed.state, lapsed.next]).toEqual(["ready", expect.stringMatching(/lapsed.*`indoubt worker` sweeps\.$/)]);
  });

  test("settled by a hook says that the destination brought the answer", async () => {
    const look = () => applied({ ref: "tx-1", result: { content: [{ type: "text", text: "tx-1" }] } });
    const { show } = await lost({ servers: { bank: { tools: { pay: { reconcile: look } } } } });
    const { answer, state, known } = await show();
    expect([state, answer?.by]).toEqual(["applied", "destination"]);
    expect(known).toContain("The effect is there.");
  });
});
