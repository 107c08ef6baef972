/** What the page answers to what it should not be asked, and that nothing changes by it. */
import { describe, expect, test } from "vitest";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { createGuard, type JsonObject } from "../../src/index.ts";
import { callTool } from "./support/calls.ts";
import { type Fields, type Reply, type Visitor, visitor } from "./support/visitor.ts";
import { QUICK, SERVER, STORES, type World, type WorldOptions, world } from "./support/world.ts";

interface Given extends World {
  readonly onCall: Visitor;
  /** Hands in the form of an item, as of its version now. */
  decide(id: string, fields: Fields, path?: string): Promise<Reply>;
  history(id: string): Promise<number>;
}

async function signedIn(options: WorldOptions = {}): Promise<Given> {
  const given = await world(options);
  const onCall = visitor(given.page);
  await onCall.signIn();
  return {
    ...given,
    onCall,
    async decide(id, fields, path = "resolve") {
      const { version } = await given.guard.queue.show(id);
      return onCall.post(`/items/${id}/${path}`, { version: String(version), ...fields });
    },
    history: async (id) => (await given.guard.queue.show(id)).audit.length,
  };
}

describe.each(STORES)("on %s", (store) => {
  test("an unknown id is not found, by any way", async () => {
    const { onCall } = await signedIn({ store });
    for (const id of ["nope", "4za6a1g9z0_5382xxs4skjqsjkb2wwq2yf9b6", "%2e%2e%2f", "x".repeat(400), "%00", "<b>"]) {
      expect((await onCall.get(`/items/${id}`)).status, id).toBe(404);
    }
    const posted = await onCall.post("/items/nope/resolve", { version: "1", verdict: "applied", reason: "found" });
    expect(posted.status).toBe(404);
    expect((await onCall.get("/items/nope/more")).status).toBe(404);
  });

  test("a decision without a reason, verdict or version is not recorded, and what was typed is kept", async () => {
    const given = await signedIn({ store });
    const id = await given.waiting("charge_card");
    const lines = await given.history(id);
    const blank = await given.decide(id, { verdict: "applied", reason: " \n ", ref: "ch_<42>" });
    expect(blank.status).toBe(422);
    expect(blank.text).toContain("Write down why");
    expect(blank.text).toMatch(/value="applied"\s+checked/);
    expect(blank.text).toContain('value="ch_&lt;42&gt;"');
    const cases: [Fields, number, string][] = [
      [{ reason: "found" }, 422, "Choose a verdict"],
      [{ reason: "found", verdict: "maybe" }, 422, "Choose a verdict"],
      [{ reason: "found", verdict: "applied", result: "{no json" }, 422, "no JSON object"],
      [{ reason: "found", verdict: "applied", result: "[1]" }, 422, "no JSON object"],
      [{ reason: "x".repeat(2_001), verdict: "applied" }, 422, "at most 2000 characters"],
      [{ reason: "found", verdict: "applied", version: "" }, 400, "no version"],
      [{ reason: "found", verdict: "applied", version: "-1" }, 400, "no version"],
    ];
    for (const [fields, status, words] of cases) {
      const reply = await given.decide(id, fields);
      expect([reply.status, words]).toEqual([status, words]);
      expect(reply.text).toContain(words);
    }
    expect(await given.history(id)).toBe(lines);
  });

  test("a stale version is refused with what happened since, and the next try is about the newest version", async () => {
    const given = await signedIn({ store });
    const id = await given.waiting("charge_card");
    const { version } = await given.guard.queue.show(id);
    await given.guard.queue.resolve(id, { verdict: "resend", version, actor: "finance", reason: "it must be sent" });
    const late = await given.onCall.post(`/items/${id}/resolve`, {
      version: String(version),
      verdict: "abandon",
      reason: "leave it",
    });
    expect(late.status).toBe(409);
    expect(late.text).toContain("changed while you were deciding");
    expect(late.text).toContain("it must be sent");
    expect(late.text).toContain("leave it");
    expect((await given.guard.queue.show(id)).state).toBe("ready");
  });

  test("what waits to be sent offers no verdict: none would pass", async () => {
    const given = await signedIn({ store });
    const id = await given.waiting("charge_card");
    expect((await given.onCall.get(`/items/${id}`)).text).toContain("Your verdict");
    expect((await given.decide(id, { verdict: "resend", reason: "it must be sent" })).status).toBe(303);
    const { text } = await given.onCall.get(`/items/${id}`);
    expect(text).not.toContain("Your verdict");
    expect(text).not.toContain("Override");
    const forced = await given.decide(id, { verdict: "not_applied", reason: "it is not there", override: "yes" });
    expect([forced.status, (await given.guard.queue.show(id)).state]).toEqual([409, "ready"]);
    expect(forced.text).toContain("it is not there");
  });

  test("before quiescence a verdict of absence needs an override, which is on record", async () => {
    const given = await signedIn({ store });
    const id = await given.doubt("slow_export");
    const early = await given.decide(id, { verdict: "not_applied", reason: "not there yet" });
    expect(early.status).toBe(409);
    expect(early.text).toContain("That is not possible now");
    expect(early.text).toContain("not there yet");
    expect((await given.guard.queue.show(id)).state).toBe("uncertain");
    const forced = await given.decide(id, {
      verdict: "not_applied",
      reason: "the export was stopped",
      override: "yes",
    });
    expect(forced.status).toBe(303);
    expect((await given.guard.queue.show(id)).audit.at(-1)).toMatchObject({ actor: "on-call", override: true });
    expect((await given.onCall.get("/audit")).text).toContain("override");
  });

  test("the same form sent twice is one decision", async () => {
    const given = await signedIn({ store });
    const id = await given.waiting("charge_card");
    const { version } = await given.guard.queue.show(id);
    const form = { version: String(version), verdict: "applied", reason: "found", decision: "decision-0001" };
    const replies = await Promise.all([1, 2, 3].map(() => given.onCall.post(`/items/${id}/resolve`, form)));
    expect(replies.map(({ status }) => status)).toEqual([303, 303, 303]);
    const { audit } = await given.guard.queue.show(id);
    expect(audit.filter(({ actor }) => actor === "on-call")).toHaveLength(1);
    expect((await given.onCall.get(`/items/${id}?decision=decision-0001`)).text).toContain("It is applied now");
    expect((await given.onCall.get(`/items/${id}?decision=another`)).text).not.toContain("Recorded.");
  });

  test("an operator's evidence is kept, and marked as a person's wherever it is shown", async () => {
    const given = await signedIn({ store });
    const id = await given.waiting("charge_card");
    await given.decide(id, { verdict: "applied", reason: "found", result: '{"id": "ch_1<b>"}' });
    const { text } = await given.onCall.get(`/items/${id}`);
    expect(text).toContain("not the tool&#39;s answer");
    expect(text).toContain("ch_1&lt;b&gt;");
  });

  test("W2-02 an item that arrives while another is decided is neither lost nor decided", async () => {
    const given = await signedIn({ store });
    const first = await given.waiting("charge_card");
    const [reply, second] = await Promise.all([
      given.decide(first, { verdict: "applied", reason: "found" }),
      given.waiting("create_invoice"),
    ]);
    expect(reply.status).toBe(303);
    const { text } = await given.onCall.get("/");
    expect(text).toContain(`data-key="${second}"`);
    expect(text).not.toContain(`data-key="${first}"`);
  });
});

test("an id of another namespace is not found, and its items are not listed", async () => {
  const given = await signedIn({ store: "redis" });
  const store = redisStore({ url: given.redis?.url ?? "", namespace: "others" });
  const theirs = createGuard({
    store,
    secret: "another secret, of the others",
    servers: { [SERVER]: { tools: { charge_card: QUICK } } },
  });
  const { operation } = await callTool(theirs, [SERVER, "charge_card"], { order: "theirs" });
  expect((await given.onCall.get(`/items/${operation}`)).status).toBe(404);
  expect((await given.onCall.get("/?index=open")).text).not.toContain(operation);
  await theirs.close({ within: 0 });
});

test("a filter that cannot be read is an error that names it; nothing else is shown instead", async () => {
  const { onCall } = await signedIn();
  const wrong: Record<string, string> = {
    "/?serer=billing": "There is no filter &quot;serer&quot;",
    "/?state=lost": "there is no such state",
    "/?older=10": "write an age such as",
    "/?older=-1h": "write an age such as",
    "/?newer=1e9h": "write an age such as",
    "/?order=up": "use oldest or newest",
    "/?index=all": "use attention or open",
    "/?conflict=maybe": "use &quot;true&quot; or &quot;false&quot;",
    "/?limit=0": "use a number from 1 to 200",
    "/?limit=100000": "use a number from 1 to 200",
    "/?tool=a&tool=b": "stands there twice",
    [`/?text=${"x".repeat(301)}`]: "longer than 300",
    "/audit?kind=gossip": "use verdict",
    "/audit?who=me": "There is no filter",
    "/bulk?serer=billing": "There is no filter",
    "/?cursor=nonsense": "cursor",
    "/audit?cursor=nonsense": "cursor",
  };
  for (const [path, words] of Object.entries(wrong)) {
    const { status, text } = await onCall.get(path);
    expect([path, status]).toEqual([path, 400]);
    expect(text, path).toContain(words);
  }
  const cleaned = await onCall.get("/?server=&tool=charge_card&state=");
  expect([cleaned.status, cleaned.headers.location]).toEqual([303, "/?tool=charge_card"]);
});

test("each filter finds what fits and nothing else, and pages follow each other by a cursor", async () => {
  const given = await signedIn();
  const ids = [
    await given.waiting("charge_card", { order: "o-1", note: "BLUE lamp" }),
    await given.waiting("create_invoice", { order: "o-2" }),
    await given.waiting("charge_card", { order: "o-3" }),
  ];
  const rows = async (path: string) =>
    [...(await given.onCall.get(path)).text.matchAll(/data-key="([^"]+)"/g)].map(([, id]) => id ?? "");
  expect(await rows("/")).toEqual(ids);
  expect(await rows("/?order=newest")).toEqual([...ids].reverse());
  expect(await rows("/?tool=create_invoice")).toEqual([ids[1]]);
  expect(await rows("/?text=blue")).toEqual([ids[0]]);
  expect(await rows(`/?text=${ids[2]}`)).toEqual([ids[2]]);
  expect(await rows("/?server=mail")).toEqual([]);
  expect(await rows("/?newer=1h&state=unresolved&conflict=false")).toEqual(ids);
  expect(await rows("/?older=1h")).toEqual([]);
  const first = await given.onCall.get("/?limit=2");
  const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(await rows("/?limit=2")).toEqual(ids.slice(0, 2));
  expect(await rows(next)).toEqual(ids.slice(2));
});

test("a filter by principal takes the name and shows no name", async () => {
  const given = await signedIn();
  const hers = await given.doubt("slow_export", { order: "1" } as JsonObject, { principal: "customer@example.com" });
  await given.doubt("slow_export", { order: "2" } as JsonObject, { principal: "otto@example.com" });
  const { text } = await given.onCall.get("/?index=open&principal=customer%40example.com");
  expect([...text.matchAll(/data-key="([^"]+)"/g)].map(([, id]) => id)).toEqual([hers]);
  expect((await given.onCall.get(`/items/${hers}`)).text).not.toContain("customer@example.com");
});

test("the user's own dashboard is one click away", async () => {
  const given = await signedIn({ page: { urlTemplate: "https://d.example/{tool}?op={id}&key={key}" } });
  const id = await given.waiting("charge_card");
  const { key } = await given.guard.queue.show(id);
  const { text } = await given.onCall.get(`/items/${id}`);
  expect(text).toContain(
    `href="https://d.example/charge_card?op=${id}&amp;key=${key}" target="_blank" rel="noopener noreferrer"`,
  );
});

test("a decision about many that is about others now decides nothing", async () => {
  const given = await signedIn();
  const first = await given.waiting("charge_card");
  const typed = { filter: "?tool=charge_card", verdict: "abandon", reason: "closed", decision: "decision-many" };
  const preview = await given.onCall.post("/bulk/preview", typed);
  expect(preview.status).toBe(200);
  const seen = /name="seen" value="([^"]*)"/.exec(preview.text)?.[1] ?? "";
  await given.decide(first, { verdict: "applied", reason: "found" });
  const second = await given.waiting("charge_card");
  const late = await given.onCall.post("/bulk/confirm", { ...typed, seen, confirm: "1" });
  expect(late.status).toBe(409);
  expect(late.text).toContain("Nothing was changed");
  expect((await given.guard.queue.show(second)).state).toBe("unresolved");
  for (const [fields, status] of [
    [{ ...typed, seen, confirm: "" }, 422],
    [{ ...typed, reason: " ", seen, confirm: "1" }, 422],
    [{ ...typed, verdict: "all", seen, confirm: "1" }, 422],
    [{ ...typed, filter: "?tol=charge_card", seen, confirm: "1" }, 400],
  ] as const) {
    expect((await given.onCall.post("/bulk/confirm", fields)).status).toBe(status);
  }
  expect((await given.guard.queue.show(second)).state).toBe("unresolved");
});

test("while the store is away every page says so, with a status and a time to come back", async () => {
  const given = await signedIn({ store: "redis" });
  const id = await given.waiting("charge_card");
  const { version } = await given.guard.queue.show(id);
  await given.redis?.stop();
  const replies = await Promise.all(
    ["/", `/items/${id}`, "/audit", "/charts", "/health"].map((path) => given.onCall.get(path)),
  );
  for (const { status, headers } of replies) expect([status, headers["retry-after"]]).toEqual([503, "5"]);
  const form = { version: String(version), verdict: "applied", reason: "found <it>", decision: "decision-away" };
  const kept = await given.onCall.post(`/items/${id}/resolve`, form);
  expect(kept.status).toBe(503);
  expect(kept.text).toContain('name="decision" value="decision-away"');
  expect(kept.text).toContain('name="reason" value="found &lt;it&gt;"');
  await given.redis?.restart();
  expect((await given.guard.queue.show(id)).state).toBe("unresolved");
}, 60_000);
