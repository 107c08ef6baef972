/** What is declared of the tools: whose doubt ends by itself, and which contracts are in force. */

import type { ParsedConfig } from "../../../../src/entries/config.ts";
import type { Lock } from "../../../../src/entries/review.ts";
import { toolFingerprint } from "../../../../src/index.ts";
import { connectServer, readLock, type Setup } from "../../setup/index.ts";
import { tell } from "../exit.ts";
import { type Finding, ok, problem, warning } from "./report.ts";

type Tool = ParsedConfig["servers"][string]["tools"][string];
type Contract = NonNullable<Tool["contract"]>;

export interface ToolsOptions {
  readonly connect: boolean;
  /** Whether the store can be asked which contracts are suspended. */
  readonly suspensions: boolean;
}

export async function examineTools(setup: Setup, options: ToolsOptions): Promise<Finding[]> {
  const suspended = options.suspensions ? await setup.guard.suspensions.list() : [];
  const whySuspended = (server: string, tool: string) =>
    suspended.find((each) => each.server === server && each.tool === tool)?.reason;
  const findings: Finding[] = [];
  for (const [server, { tools }] of Object.entries(setup.config.servers)) {
    const live = options.connect ? await liveTools(setup, server) : undefined;
    if (live && "finding" in live) findings.push(live.finding);
    for (const [tool, declared] of Object.entries(tools)) {
      const name = `${server}.${tool}`;
      findings.push(...hookFindings(name, declared));
      if (declared.contract === undefined) continue;
      const fingerprints = live && "fingerprints" in live ? live.fingerprints : undefined;
      const pin = declared.contract.pin?.tool ?? lockedPin(setup, server, tool);
      const facts = { pin, suspended: whySuspended(server, tool), live: fingerprints?.get(tool) };
      findings.push(...contractFindings(name, declared.contract, facts));
      if (fingerprints && !fingerprints.has(tool))
        findings.push(warning("contract", `The server no longer lists ${name}.`));
    }
  }
  return findings;
}

function hookFindings(name: string, tool: Tool): Finding[] {
  if (tool.effect === "read" || tool.identity === "per-call") return [];
  if (tool.reconcile !== undefined) return [ok("hook", `${name}: a hook finds out what a silence was.`)];
  if (tool.contract !== undefined) return [];
  const words = `${name} has neither hook nor contract: each of its silences waits for a person.`;
  return [warning("hook", words, `Add servers.${name.replace(".", ".tools.")}.reconcile.`)];
}

/** A contract without a pin of its own takes the one of the lock. */
function lockedPin(setup: Setup, server: string, tool: string): string | undefined {
  const lock = readLock(setup) as Lock | undefined;
  const catalogues = lock?.servers[server]?.catalogues ?? [];
  const { principal } = setup.config.servers[server] ?? {};
  const own = catalogues.find((each) => each.principal === principal);
  const tools = (own ?? catalogues.find((each) => each.principal === undefined))?.tools ?? {};
  return Object.hasOwn(tools, tool) ? tools[tool]?.fingerprint : undefined;
}

interface Facts {
  /** Fingerprints. */
  readonly pin: string | undefined;
  readonly live: string | undefined;
  readonly suspended: string | undefined;
}

function contractFindings(name: string, contract: Contract, { pin, live, suspended }: Facts): Finding[] {
  const today = new Date().toISOString().slice(0, 10);
  const { review } = contract;
  const out = (words: string, cure: string) => warning("contract", `${name}: ${words}; nothing is sent again.`, cure);
  const findings = [
    ...(suspended === undefined
      ? []
      : [out(`suspended (${suspended})`, "Look at what suspended it; then a person lifts it.")]),
    ...(pin === undefined ? [out("no pin, so it is not in force", "Review it: indoubt tools review.")] : []),
    ...(review.expires !== undefined && review.expires < today
      ? [
          out(
            `the review expired on ${review.expires}`,
            "Read the promise again, then set review.on and review.expires.",
          ),
        ]
      : []),
    ...(pin !== undefined && live !== undefined && live !== pin
      ? [out("the tool differs from the pinned one", "Review it again: indoubt tools review.")]
      : []),
    ...(review.card === undefined
      ? [
          warning(
            "contract",
            `${name}: no evidence card: the promise was read, not tried.`,
            "Run a repeat test in a test environment.",
          ),
        ]
      : []),
  ];
  if (findings.some(({ words }) => words.endsWith("nothing is sent again."))) return findings;
  const checked = live === undefined ? "reviewed; --connect compares it with the server" : "in force";
  return [ok("contract", `${name}: ${checked}.`), ...findings];
}

type Live = { readonly fingerprints: ReadonlyMap<string, string> } | { readonly finding: Finding };

async function liveTools(setup: Setup, server: string): Promise<Live | undefined> {
  const { url, command } = setup.config.servers[server] ?? {};
  if (url === undefined && command === undefined) return undefined;
  try {
    const connection = await connectServer(setup, server, { onStderr: () => {} });
    const { tools } = await connection.client.listTools();
    await connection.close();
    return { fingerprints: new Map(tools.map((tool) => [tool.name, toolFingerprint(tool)])) };
  } catch (error) {
    return {
      finding: problem(
        "config",
        `"${server}" cannot be reached: ${tell(error).message}`,
        "Start it, or correct how it is reached.",
      ),
    };
  }
}
