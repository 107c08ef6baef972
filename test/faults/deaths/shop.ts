/** The guarded tool of the processes that die at a port call, and of the one that comes after them. The effect log is a file. */
import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs";
import { redisStore } from "../../../adapters/stores/redis/index.ts";
import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import type { Store } from "../../../src/entries/store.ts";
import type { Wire } from "../../../src/entries/wire.ts";
import { absent, applied, createGuard, type Guard, toolFingerprint } from "../../../src/index.ts";

export type StorePlace =
  | { readonly kind: "redis"; readonly url: string }
  | { readonly kind: "sqlite"; readonly file: string };

/** `hook`: an observation settles a lost reply. `contract`: a resend with the key does. `plain`: a person has to. */
export type Means = "plain" | "hook" | "contract";

/** Dies at the n-th call of this port, before it is made or after it is answered. */
export interface Death {
  readonly port: string;
  readonly nth: number;
  readonly point: "before" | "after";
}

export interface Plan {
  /** Of its own: another test's sweeper would drive its records over another wire. */
  readonly namespace: string;
  readonly store: StorePlace;
  /** One line per effect: order and key. */
  readonly log: string;
  readonly order: string;
  readonly means: Means;
  /** The destination does its work, and the first reply is lost. */
  readonly firstReplyLost: boolean;
  readonly death?: Death;
}

/** A machine with other work must not use it up between two port calls. */
export const LEASE = 1_200;
const SETTLE = 100;
export const SERVER = "shop";
export const TOOL = { name: "order" };

export const effectsOf = (log: string, order: string): number =>
  (existsSync(log) ? readFileSync(log, "utf8") : "").split("\n").filter((line) => line.split(" ")[0] === order).length;
const knows = (log: string, key: string): boolean => existsSync(log) && readFileSync(log, "utf8").includes(` ${key}\n`);

/** Counts the calls of each port, and ends this process without a word at the one that was named. */
export function reaper(death: Death | undefined) {
  const counts = new Map<string, number>();
  return (point: Death["point"], port: string): void => {
    const name = `${point} ${port}`;
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    if (death?.point !== point || death.port !== port || death.nth !== nth) return;
    writeSync(1, `dies ${name}\n`);
    process.kill(process.pid, "SIGKILL");
  };
}
export type Reaper = ReturnType<typeof reaper>;

function openStore({ store: place, namespace }: Plan, reap: Reaper): Store {
  const store =
    place.kind === "redis" ? redisStore({ url: place.url, namespace }) : sqliteStore({ file: place.file, namespace });
  const mortal = <A extends unknown[], R>(port: string, run: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      reap("before", port);
      const reply = await run(...args);
      reap("after", port);
      return reply;
    };
  };
  return {
    ...store,
    begin: mortal("store.begin", (request) => store.begin(request)),
    swap: mortal("store.swap", (request) => store.swap(request)),
  };
}

export function shopGuard(plan: Plan, reap: Reaper): Guard {
  const { means, log, order } = plan;
  const guard = createGuard({
    store: openStore(plan, reap),
    secret: "a secret that only these tests share",
    lease: LEASE,
    servers: {
      [SERVER]: {
        tools: {
          [TOOL.name]: {
            identityArgs: ["/order"],
            settle: SETTLE,
            ...(means === "hook" && {
              reconcile: {
                look: () => {
                  reap("before", "hook");
                  const count = effectsOf(log, order);
                  reap("after", "hook");
                  return count > 0 ? applied({ ref: `ref of ${order}`, count }) : absent();
                },
                settle: SETTLE,
                staleness: 50,
                absentReads: 2,
              },
            }),
            ...(means === "contract" && {
              contract: {
                dedupes: "key",
                key: { argument: "/key" },
                window: "10m",
                margin: "1m",
                concurrent: "joined",
                mismatch: "rejected",
                replaysErrors: false,
                scope: { caller: "tests", downstream: "included" },
                review: { source: "https://shop.example/docs/keys", by: "operator", on: "2026-11-30" },
                pin: { tool: toolFingerprint(TOOL) },
              },
            }),
          },
        },
      },
    },
  });
  guard.toolsSeen(SERVER, [TOOL]);
  return guard;
}

export function shopWire(plan: Plan, reap: Reaper, handingOver: (operation: string) => void): Wire {
  let sends = 0;
  return {
    headers: false,
    async send({ operation, arguments: args, mayStart }) {
      reap("before", "wire.send");
      if (!mayStart()) return { kind: "not_sent", cause: "permit_lost" };
      handingOver(operation);
      sends += 1;
      const key = String(args.key ?? "no-key");
      if (plan.means !== "contract" || !knows(plan.log, key)) appendFileSync(plan.log, `${plan.order} ${key}\n`);
      reap("after", "wire.send");
      await new Promise((resolve) => setImmediate(resolve));
      reap("before", "wire.answer");
      if (plan.firstReplyLost && sends === 1) return { kind: "silence", cause: "connection_closed" };
      return { kind: "result", result: { content: [{ type: "text", text: plan.order }] } };
    },
  };
}

export const callOf = ({ order }: Plan) => ({ server: SERVER, tool: TOOL.name, arguments: { order }, deadline: 5_000 });
