/** Two teams on one Redis. */
import { expect, test } from "vitest";
import { redisStore } from "../../adapters/stores/redis/index.ts";
import { startRedis } from "../support/redis.ts";
import { scriptedServer } from "./stage/servers.ts";
import { session } from "./stage/session.ts";

const MAIL = { to: "all@acme.example", subject: "Release", body: "It is out." };
const SALES = "a secret of the sales team";
const OPS = "a secret of the ops team";

test("two teams on one Redis never hold or see each other's writes, and a shared name with two secrets is refused", async () => {
  const redis = await startRedis();
  const storeOf = (namespace: string) => redisStore({ url: redis.url, namespace });
  const script = { send_email: [{ reply: "never" as const }, {}] };

  const sales = await session("Two teams on one Redis", { store: storeOf("sales"), secret: SALES });
  sales.page.scene("The sales team");
  const theirs = await sales.connect("mail", scriptedServer({ script }));
  await theirs.call("send_email", MAIL, { timeout: 300 });
  await sales.queue();
  sales.page.scene("The ops team, at the same time, with the same mail");
  const ops = await session("", { page: sales.page, store: storeOf("ops"), secret: OPS });
  const ours = await ops.connect("mail", scriptedServer({}));
  const sent = await ours.call("send_email", MAIL);
  await ops.queue();
  expect(sent.isError).toBe(false);
  expect([theirs.effects(), ours.effects()]).toEqual([1, 1]);

  sales.page.scene("The mistake: the ops team uses the namespace of sales with its own secret");
  const wrong = await session("", { page: sales.page, store: storeOf("sales"), secret: OPS, neverStarted: true });
  const started = await wrong.guard.start().catch((error: unknown) => error);
  sales.page.line("start", `threw ${(started as { code: string }).code}: ${(started as Error).message}`);
  const astray = await wrong.connect("mail", scriptedServer({}));
  await astray.call("send_email", MAIL);
  expect(started).toMatchObject({ code: "STORE_INCOMPATIBLE" });
  expect(astray.arrivals()).toBe(0);
  await wrong.guard.close();

  sales.page.scene("The mistake: no secret at all");
  const bare = await session("", { page: sales.page, store: storeOf("bare"), neverStarted: true });
  const nothing = await bare.connect("mail", scriptedServer({}));
  await nothing.call("send_email", MAIL);
  expect(nothing.arrivals()).toBe(0);
  await sales.ends("10-two-teams.txt");
});
