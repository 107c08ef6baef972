/** The official conformance suite against a URL, and each of its checks by name. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSuite } from "./programs.ts";
import type { Seen } from "./rows.ts";

interface Check {
  readonly id: string;
  readonly status: string;
}

/** One line per event of a stream: how many there are is a matter of time. */
const TRACE = /^(incoming|outgoing)-/;

/** @returns scenario to its checks */
export async function conformance(url: string): Promise<ReadonlyMap<string, Seen>> {
  const folder = mkdtempSync(join(tmpdir(), "indoubt-conformance-"));
  try {
    const { out, err } = await runSuite(url, folder);
    const scenarios = readdirSync(folder).filter((name) => name.startsWith("server-"));
    if (scenarios.length === 0) throw new Error(`The conformance suite said nothing:\n${out}\n${err}`);
    const seen = scenarios.map((name): [string, Seen] => {
      const checks = JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Check[];
      return [name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, ""), seenOf(checks)];
    });
    return new Map(seen.sort(([a], [b]) => (a < b ? -1 : 1)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function seenOf(checks: readonly Check[]): Seen {
  const seen: Record<string, string> = {};
  for (const { id, status } of checks) {
    if (TRACE.test(id)) continue;
    seen[id] = seen[id] === undefined ? status : `${seen[id]}, ${status}`;
  }
  return seen;
}

export function brief(seen: Seen): string {
  const all = Object.values(seen).flatMap((said) => said.split(", "));
  const count = (status: string): number => all.filter((said) => said.startsWith(status)).length;
  const [passed, failed, warned] = [count("SUCCESS"), count("FAILURE"), count("WARNING")];
  return [`${passed} passed`, failed > 0 && `${failed} failed`, warned > 0 && `${warned} warned`]
    .filter(Boolean)
    .join(", ");
}
