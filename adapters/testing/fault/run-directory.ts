import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DestinationOptions } from "./destination.ts";
import { type EffectLog, openEffectLog } from "./effect-log.ts";
import type { Eras, ServerInfo } from "./eras.ts";
import { checkStep, type Script, type Step, type TransportKind } from "./script.ts";
import { type FaultTool, mergeTools } from "./tools.ts";

/** What both kinds of fault server can be told; it is plain JSON, and can be changed while the server runs. */
export interface FaultServerOptions {
  /**
   * Steps per tool, counted from the start of the server; `plan` replaces them.
   * @default {}
   * @example { create_invoice: [{ reply: "never" }] }
   */
  readonly script?: Script;
  /**
   * Tools added to the default ones; the same name replaces a default one.
   * @default []
   */
  readonly tools?: readonly FaultTool[];
  /**
   * How the destination behaves: native key, lagging or failing reads, unique names.
   * @default {}
   * @example { nativeKey: { from: { argument: "idempotency_key" } } }
   */
  readonly destination?: DestinationOptions;
  /**
   * @default "both"
   */
  readonly eras?: Eras;
  /**
   * What the server says it is.
   * @default { name: "fault-server", version: "1.0.0" }
   */
  readonly serverInfo?: ServerInfo;
}

/** Steps of one tool; `since` arrivals of that tool came before them. */
interface Plan {
  readonly since: number;
  readonly steps: readonly Step[];
}

/** The settings as they stand on disk, read anew for each message. */
export interface Settings {
  readonly tools: readonly FaultTool[];
  readonly destination: DestinationOptions;
  readonly eras: Eras;
  readonly serverInfo: ServerInfo;
  readonly plans: Readonly<Record<string, Plan>>;
}

/**
 * A directory with the effect log and the settings: all that a fault server is made of, shared by the test and the
 * server's process. A server that dies and starts again in the same directory goes on where it was.
 */
export interface RunDirectory {
  readonly path: string;
  readonly log: EffectLog;
  settings(): Settings;
  plan(tool: string, steps: readonly Step[]): void;
  configure(change: FaultServerOptions): void;
  remove(): void;
}

export function createRunDirectory(options: FaultServerOptions, transport: TransportKind): RunDirectory {
  const directory = openRunDirectory(mkdtempSync(join(tmpdir(), "indoubt-faults-")), transport);
  const blank: Settings = {
    tools: [],
    destination: {},
    eras: "both",
    serverInfo: { name: "fault-server", version: "1.0.0" },
    plans: {},
  };
  writeSettings(directory.path, blank);
  try {
    directory.configure(options);
  } catch (error) {
    directory.remove();
    throw error;
  }
  return directory;
}

/** Opens what another process created. */
export function openRunDirectory(path: string, transport: TransportKind): RunDirectory {
  const log = openEffectLog(join(path, "effects.jsonl"));

  function settings(): Settings {
    return JSON.parse(readFileSync(join(path, "settings.json"), "utf8")) as Settings;
  }

  function plan(tool: string, steps: readonly Step[]): void {
    const before = settings();
    const definition = mergeTools(before.tools).find(({ name }) => name === tool);
    if (definition === undefined) throw new Error(`The fault server has no tool "${tool}"; add it with \`tools\`.`);
    for (const step of steps) checkStep(step, transport, definition);
    const since = log.arrivals(tool).length;
    writeSettings(path, { ...before, plans: { ...before.plans, [tool]: { since, steps } } });
  }

  function configure({ script, ...change }: FaultServerOptions): void {
    writeSettings(path, { ...settings(), ...change });
    for (const [tool, steps] of Object.entries(script ?? {})) plan(tool, steps);
  }

  return {
    path,
    log,
    settings,
    plan,
    configure,
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  };
}

/** Step n for arrival n of a tool since its plan was made; the last step repeats. */
export function stepFor(settings: Settings, tool: string, arrivalOfTool: number): Step {
  const plan = settings.plans[tool];
  if (plan === undefined) return {};
  const index = Math.min(arrivalOfTool - plan.since, plan.steps.length) - 1;
  return plan.steps[index] ?? {};
}

/** Written aside and renamed: the server never reads half a file. */
function writeSettings(path: string, settings: Settings): void {
  const aside = join(path, `settings.${process.pid}.tmp`);
  writeFileSync(aside, JSON.stringify(settings, null, 2));
  renameSync(aside, join(path, "settings.json"));
}
