/** The worker: a guard that nobody calls, which drives what is open until it is told to stop. */
import { once } from "node:events";
import { type Guard, IndoubtError } from "../../../../src/index.ts";
import { loadConfig, type OpenOptions, openGuard } from "../../setup/index.ts";
import { untilStopped } from "../until-stopped.ts";
import { serveHealth } from "./health.ts";
import { keepLinks } from "./links.ts";
import { type Log, newLog } from "./log.ts";

export interface WorkerOptions {
  readonly open: Pick<OpenOptions, "config" | "store" | "namespace">;
  readonly format: "text" | "json";
  readonly bare: boolean;
  /** Undefined: no health server. */
  readonly healthPort: number | undefined;
}

/**
 * @throws IndoubtError CONFIG_INVALID without a configuration file: what has a hook in a program but not here would be
 * given to a person
 */
export async function runWorker({ open, format, bare, healthPort }: WorkerOptions): Promise<void> {
  await requireConfig(open, bare);
  const log = newLog(format);
  const stopped = untilStopped();
  const setup = await openGuard({ ...open, recovery: "on" });
  const { guard, address, file } = setup;
  for (const message of setup.warnings) log("warn", "warning", { message });
  narrate(guard, log);
  await guard.start();
  const links = keepLinks(setup, log);
  const health = healthPort === undefined ? undefined : await serveHealth(healthPort, setup, links);
  log("info", "started", { pid: process.pid, store: address, config: file ?? null, health_port: health?.port ?? null });
  await untilAborted(stopped);
  log("info", "stopping");
  await health?.close();
  await guard.close();
  await links.close();
  log("info", "stopped");
}

/** The engine's own timers let a process end: without a server or a health port nothing else would keep this one. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const alive = setInterval(() => {}, 60_000);
  await once(signal, "abort");
  clearInterval(alive);
}

async function requireConfig({ config }: WorkerOptions["open"], bare: boolean): Promise<void> {
  const { file } = await loadConfig({ config });
  if (file !== undefined || bare) return;
  throw new IndoubtError(
    "CONFIG_INVALID",
    "There is no configuration file here. A worker that lacks the hooks and contracts of your programs gives to a person " +
      "what they could find out. Name the file with --config; if no program has a hook or a contract, use --bare.",
  );
}

function narrate(guard: Guard, log: Log): void {
  guard.on("transition", ({ operation, server, tool, row, from, to }) =>
    log("info", "transition", { operation, server, tool, row, from, to }),
  );
  guard.on("observed", ({ operation, observation, reason }) =>
    log("info", "observed", { operation, observation, ...(reason !== undefined && { reason }) }),
  );
  guard.on("late", (late) => log("info", "late_answer", late));
  guard.on("queued", ({ operation, server, tool, reason }) =>
    log("warn", "queued", { operation, server, tool, reason }),
  );
  guard.on("aged", ({ operation, server, tool, ageMs }) =>
    log("warn", "aged", { operation, server, tool, age_ms: ageMs }),
  );
  guard.on("conflict", ({ operation, server, tool, reason }) =>
    log("error", "conflict", { operation, server, tool, reason }),
  );
  guard.on("suspended", (suspended) => log("warn", "suspended", suspended));
  guard.on("unrecorded", (unrecorded) => log("error", "unrecorded", unrecorded));
  guard.on("warning", (warning) => log("warn", "warning", warning));
}
