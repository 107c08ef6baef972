/** Decides about one item and dies with its write: before it reaches the store, right after, or some time around it. */
import { redisStore } from "../../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import type { Store } from "../../../src/entries/store.ts";
import { createGuard } from "../../../src/index.ts";
import { SECRET } from "../secret.ts";

const [kind = "", place = "", namespace = "", id = "", version = "", moment = ""] = process.argv.slice(2);

const die = (): Promise<never> => {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
};

const inner: Store =
  kind === "redis" ? redisStore({ url: place, namespace, secret: SECRET }) : sqliteStore({ file: place });
const store = new Proxy(inner, {
  get(target, name) {
    const value: unknown = Reflect.get(target, name);
    if (name !== "swap") return typeof value === "function" ? value.bind(target) : value;
    return async (request: Parameters<Store["swap"]>[0]) => {
      if (moment === "before") return die();
      if (moment !== "after") setTimeout(() => void die(), Number(moment));
      const reply = await target.swap(request);
      return moment === "after" ? die() : reply;
    };
  },
});

const guard = createGuard({ store, secret: SECRET, sweepEvery: "1h" });
const by = { actor: "on-call", reason: "found it", decision: "d-1" };
await guard.queue.resolve(id, { verdict: "applied", version: Number(version), ...by });
await die();
