/** 10,000 open operations: a page costs a page. */
import { expect, test } from "vitest";
import type { Store } from "../../src/entries/store.ts";
import { visitor } from "./support/visitor.ts";
import { STORES, world } from "./support/world.ts";

const MANY = 10_000;
/** Of each index, for the numbers at the head; and the page itself. */
const MOST_READ = 2 * 500 + 50;

/** Counts the records that the store hands out. */
function counted() {
  let records = 0;
  const wrap = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        const call = value.bind(target) as (...args: unknown[]) => unknown;
        if (!["list", "read", "due", "journal", "history"].includes(String(name))) return call;
        return async (...args: unknown[]) => {
          const answer = (await call(...args)) as { items?: unknown[]; entries?: unknown[]; record?: unknown };
          records += answer.items?.length ?? answer.entries?.length ?? 1;
          return answer;
        };
      },
    });
  return {
    wrap,
    during: async (run: () => Promise<unknown>): Promise<number> => {
      records = 0;
      await run();
      return records;
    },
  };
}

test.each(STORES)(
  "the first page among 10,000 open operations reads a page, on %s, and says that there are more",
  async (store) => {
    const counter = counted();
    const given = await world({ store, wrap: counter.wrap });
    const onCall = visitor(given.page);
    await onCall.signIn();
    let made = 0;
    const lane = async () => {
      while (made < MANY) {
        const order = `o-${made++}`;
        await given.doubt("slow_export", { order });
      }
    };
    await Promise.all(Array.from({ length: 64 }, lane));

    let page = "";
    const first = await counter.during(async () => {
      page = (await onCall.get("/?index=open")).text;
    });
    expect(page.match(/data-key=/g)).toHaveLength(50);
    expect(first).toBeLessThanOrEqual(MOST_READ);
    expect((await onCall.get("/")).text).toContain("500+");
    const again = await counter.during(() => onCall.get("/?index=open"));
    expect(again).toBeLessThanOrEqual(MOST_READ);
    const next = /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = (await onCall.get(next)).text;
    const ids = (text: string) => [...text.matchAll(/data-key="([^"]+)"/g)].map(([, id]) => id);
    expect(ids(second)).toHaveLength(50);
    expect(ids(second).filter((id) => ids(page).includes(id))).toEqual([]);
  },
  180_000,
);
