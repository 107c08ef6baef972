/** The proxy as a command: which server, which record, and until when. */
import { once } from "node:events";
import type { Guard } from "../../../../src/index.ts";
import { type ProxyTarget, proxyDefaults, startProxy, stdioProxy } from "../../proxy/index.ts";
import { loadConfig, openGuard, type Setup } from "../../setup/index.ts";
import { UsageError } from "../exit.ts";
import { newScreen } from "../screen.ts";
import { visible } from "../text.ts";
import { untilStopped } from "../until-stopped.ts";
import { type ProxyWords, serverOf } from "./server.ts";

export interface ProxyCommand extends ProxyWords {
  readonly config?: string;
  readonly store?: string;
  readonly namespace?: string;
  readonly format: "text" | "json";
  /** Undefined: hosts speak on stdin and stdout. */
  readonly port: number | undefined;
  readonly host?: string;
  readonly allowHost: readonly string[];
  readonly tokenEnv?: string;
  readonly onePrincipal?: boolean;
  readonly deadline: number | undefined;
  readonly statusTool?: boolean;
}

/** stdout belongs to the host: whatever people should read goes to stderr. */
export async function runProxy(command: ProxyCommand): Promise<void> {
  const { config, store, namespace } = command;
  const loaded = await loadConfig({ config });
  const { name, target } = serverOf(command, loaded, process.env);
  // A name made of the command is in nobody's configuration, and what others know is left to them. But a name that was
  // given without a configuration may be one that another program has a hook for: it must not decide that nobody can look.
  const recovers = loaded.file !== undefined || command.server === undefined;
  const setup = await openGuard({
    config,
    store,
    namespace,
    recovery: recovers ? "on" : "off",
    adjust: proxyDefaults,
  });
  const { guard } = setup;
  // Its start tells what the guard itself warns of.
  tellWarnings(setup, recovers ? [] : guard.warnings);
  const stopped = untilStopped();
  try {
    if (recovers) await guard.start();
    const { statusTool, deadline } = command;
    const common = { guard, server: name, target, deadline, statusTool, say: tell };
    await (command.port === undefined ? overStdio(common, stopped) : overHttp(command, command.port, common, stopped));
  } finally {
    await guard.close().catch((error: unknown) => tell(`indoubt proxy: ${String(error)}`));
  }
  // A host that is gone may hold the pipe open.
  process.stdin.destroy();
}

interface Common {
  readonly guard: Guard;
  readonly server: string;
  readonly target: ProxyTarget;
  readonly deadline: number | undefined;
  readonly statusTool: boolean | undefined;
  say(line: string): void;
}

const tell = (line: string): void => void process.stderr.write(`${visible(line)}\n`);

function tellWarnings({ warnings, guard }: Setup, more: readonly string[]): void {
  for (const warning of [...warnings, ...more]) tell(`indoubt proxy: warning: ${warning}`);
  guard.on("warning", ({ message }) => tell(`indoubt proxy: warning: ${message}`));
}

async function overStdio(common: Common, stopped: AbortSignal): Promise<void> {
  // A command ends with its reader; a proxy whose host is gone still waits for answers that are evidence.
  process.stdout.removeAllListeners("error");
  const proxy = stdioProxy(common);
  stopped.addEventListener("abort", () => void proxy.close(), { once: true });
  await proxy.ended;
}

async function overHttp(command: ProxyCommand, port: number, common: Common, stopped: AbortSignal): Promise<void> {
  const { host, allowHost, onePrincipal, format } = command;
  const proxy = await startProxy({
    ...common,
    port,
    host,
    allowedHosts: allowHost,
    token: tokenOf(command),
    principals: onePrincipal ? "one" : "authorization",
  });
  const screen = newScreen(format === "json");
  if (screen.json) screen.printJson({ url: proxy.url, port: proxy.port, server: common.server });
  else screen.print(`${proxy.url} guards "${visible(common.server)}". Ctrl-C ends it.`);
  if (!stopped.aborted) await once(stopped, "abort");
  await proxy.close();
}

function tokenOf({ tokenEnv }: ProxyCommand): string | undefined {
  if (tokenEnv === undefined) return undefined;
  const token = process.env[tokenEnv];
  if (token) return token;
  throw new UsageError(`--token-env names ${tokenEnv}, which is not set`, "Set the variable, or leave the option out.");
}
