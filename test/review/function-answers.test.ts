import { expect, it } from "vitest";
import { guardFunction, type Outcome } from "../../src/index.ts";
import { world } from "./support.ts";

const answered = (value: unknown, rejectsBeforeWork: number[] = []): Promise<Outcome> => {
  const { guard } = world({ servers: { psp: { rejectsBeforeWork } } });
  return guardFunction(guard, { server: "psp", tool: "refund" }, async () => value)({ payment: "p_1" });
};

it.each([
  ["says 402", Response.json({ error: "declined" }, { status: 402 })],
  ["says 500", new Response("oops", { status: 500 })],
  ["says 401 with a challenge", new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } })],
  ["says 406, as some frameworks do after the work", new Response(null, { status: 406 })],
  ["never arrived as one", Response.error()],
])(
  "R3: a function that hands on what fetch gave is not told as succeeded when the response %s",
  async (_what, value) => {
    expect((await answered(value)).kind).toBe("uncertain");
  },
);

it("a status that the operator declared says that nothing was done", async () => {
  const declined = Response.json({ error: "declined" }, { status: 402 });
  expect((await answered(declined, [402])).kind).toBe("rejected");
});

it("the answer of a good response is its body", async () => {
  const outcome = await answered(Response.json({ refund: "r_1" }));
  expect(outcome).toMatchObject({
    kind: "succeeded",
    answer: { kind: "result", result: { structuredContent: { refund: "r_1" } } },
  });
});

it.each<[string, object]>([
  [
    "throws when looked at",
    {
      get content() {
        throw new Error("not loaded");
      },
    },
  ],
  ["is a text", new Response("done")],
  ["was read already", { ok: true, status: 200, bodyUsed: true, text: () => Promise.reject(new Error("read")) }],
])("R3: the effect has happened also where the value that reports it %s", async (_what, value) => {
  expect((await answered(value)).kind).toBe("succeeded");
});
