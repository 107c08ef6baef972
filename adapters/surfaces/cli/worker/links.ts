/** Keeps a connection to each configured server: hooks read through it, permitted resends go through it. */
import { setTimeout as sleep } from "node:timers/promises";
import { connectServer, type Setup } from "../../setup/index.ts";
import { visible } from "../text.ts";
import type { Log } from "./log.ts";

export type LinkState = "connecting" | "connected" | "down";

export interface Links {
  readonly states: ReadonlyMap<string, LinkState>;
  close(): Promise<void>;
}

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

export function keepLinks(setup: Setup, log: Log): Links {
  const ending = new AbortController();
  const states = new Map<string, LinkState>();
  const reachable = Object.entries(setup.config.servers).filter(([, { url, command }]) => url ?? command);
  const loops = reachable.map(([server]) => keep(setup, server, { log, states, signal: ending.signal }));
  return {
    states,
    async close() {
      ending.abort();
      await Promise.allSettled(loops);
    },
  };
}

interface Keeping {
  readonly log: Log;
  readonly states: Map<string, LinkState>;
  readonly signal: AbortSignal;
}

async function keep(setup: Setup, server: string, { log, states, signal }: Keeping): Promise<void> {
  const over = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    states.set(server, "connecting");
    try {
      const onStderr = (text: string) => log("info", "server_stderr", { server, text: text.trimEnd().slice(0, 1_000) });
      const connection = await connectServer(setup, server, { onStderr, signal });
      states.set(server, "connected");
      log("info", "connected", { server });
      pause = FIRST_PAUSE;
      await Promise.race([connection.ended, over]);
      if (signal.aborted) await connection.close().catch(() => {});
      else log("warn", "connection_lost", { server });
    } catch (error) {
      if (signal.aborted) break;
      log("warn", "not_connected", { server, why: visible(error instanceof Error ? error.message : String(error)) });
    }
    states.set(server, "down");
    await sleep(pause, undefined, { signal }).catch(() => {});
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}
