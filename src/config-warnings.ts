/** Set-ups that work but hurt, each with its cure. */
import { otherServer } from "./core/baseline.ts";
import type { ParsedOptions, ParsedServer, ParsedTool } from "./options-schema.ts";
import { own, settleOf } from "./policy.ts";
import { toolProbe } from "./probe/tool-probe.ts";

export function warningsOf(options: ParsedOptions): string[] {
  return Object.entries(options.servers).flatMap(([name, server]) => [
    ...serverWarnings(options, name, server),
    ...Object.entries(server.tools).flatMap(([tool, declared]) => toolWarnings(options, name, tool, declared)),
  ]);
}

function serverWarnings({ lock }: ParsedOptions, name: string, server: ParsedServer): string[] {
  const reviewed = own(lock?.servers, name);
  const other = reviewed && server.identity && otherServer(reviewed.identity, server.identity);
  return [
    ...(other
      ? [
          `servers.${name} is not the server that was reviewed: ${other}. Its contracts and read declarations are out of force. Correct the identity, or review it with \`indoubt tools review\`.`,
        ]
      : []),
    ...(server.drift === "off"
      ? [
          `servers.${name} has drift: "off": a changed tool is not noticed, and a contract or read declaration goes on under another definition. Set "schema".`,
        ]
      : []),
  ];
}

function toolWarnings({ lock }: ParsedOptions, server: string, name: string, tool: ParsedTool): string[] {
  const where = `servers.${server}.tools.${name}`;
  const reviewed = own(lock?.servers, server)?.catalogues.some(({ tools }) => Object.hasOwn(tools, name));
  const unnamed = (tool.contract || tool.reconcile) && !tool.identityArgs && !tool.hold && tool.identity !== "per-call";
  const warnings: readonly (readonly [unknown, string])[] = [
    [
      unnamed,
      `${where} has a contract or hook but no identityArgs: a reworded repeat is another write. Name the arguments that make the effect, or set hold.`,
    ],
    [
      tool.reconcile && settleOf(tool) === undefined,
      `${where} has a hook but no settle time: an absence after a lost reply is never believed, and a person must decide. Set reconcile.settle to the time in which a lost write can still land.`,
    ],
    [
      tool.contract && !tool.contract.pin && !reviewed,
      `${where} has a contract without a pin, so it is never in force and nothing is sent again. Review the tool's definition and set pin: { tool: toolFingerprint(definition) }.`,
    ],
    [
      unattributed(tool),
      `${where}.reconcile matches by nothing that identifies the effect: what it finds is told as "there, cause unknown". Place a key (marker), read a baseline, or say found.identifies: true.`,
    ],
    [tool.verify && !tool.reconcile, `${where} asks to verify but has no reconcile hook.`],
    [
      tool.drift === "off",
      `${where} has drift: "off": a changed definition is not noticed. Set "schema", or "any" to count words too.`,
    ],
    [
      tool.effect === "read" && tool.when?.some(({ effect }) => effect === "write"),
      `${where} is a read with rules that make it a write: an argument that fits no rule is taken for a read. Declare it a write, and the reads by rules.`,
    ],
  ];
  return warnings.flatMap(([hurts, text]) => (hurts ? [text] : []));
}

function unattributed({ reconcile, marker, contract }: ParsedTool): boolean {
  if (typeof reconcile !== "object" || !("found" in reconcile)) return false;
  const { tool, arguments: request, found, baseline } = reconcile;
  const { correlation } = toolProbe({ tool, arguments: request, found, baseline });
  return correlation === "none" && !marker && !contract?.key;
}
