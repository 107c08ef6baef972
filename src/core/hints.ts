/**
 * The four hints of a tool, read as the specification says, and told as claims. Nothing here is asked by any decision:
 * a hint may make a person more careful, it never lowers what the configuration requires.
 */
import { quoted } from "./fence.ts";

export type HintName = "readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint";

/** The specification's defaults: how silence is to be read. They are an interpretation, not an observation. */
export const HINT_DEFAULTS: Readonly<Record<HintName, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

const NAMES = Object.keys(HINT_DEFAULTS) as HintName[];

export interface Hint {
  readonly name: HintName;
  /** What the publisher declares; undefined: nothing. */
  readonly declared: boolean | undefined;
  /** With the default where nothing is declared. */
  readonly reading: boolean;
  /** False: means nothing, since the tool claims to be read-only. */
  readonly meaningful: boolean;
}

export interface Hints {
  readonly all: readonly Hint[];
  readonly readOnly: Hint;
  readonly destructive: Hint;
  readonly idempotent: Hint;
  readonly openWorld: Hint;
  /** Entries of a wrong type, or spelled in a way that the specification does not know. In words. */
  readonly faults: readonly string[];
}

const SPELLINGS: Readonly<Record<string, HintName>> = Object.fromEntries(
  NAMES.flatMap((name) => {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const bare = name.slice(0, -4);
    return [snake, bare, snake.slice(0, -5), name.toLowerCase()].map((spelling) => [spelling, name] as const);
  }),
);

export function readHints(annotations: unknown): Hints {
  const given = typeof annotations === "object" && annotations !== null ? (annotations as Record<string, unknown>) : {};
  const declared = (name: HintName): boolean | undefined => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return typeof value === "boolean" ? value : undefined;
  };
  const readOnly = declared("readOnlyHint") ?? HINT_DEFAULTS.readOnlyHint;
  const hint = (name: HintName): Hint => ({
    name,
    declared: declared(name),
    reading: declared(name) ?? HINT_DEFAULTS[name],
    meaningful: !(readOnly && (name === "destructiveHint" || name === "idempotentHint")),
  });
  const [first, destructive, idempotent, openWorld] = NAMES.map(hint) as [Hint, Hint, Hint, Hint];
  return {
    all: [first, destructive, idempotent, openWorld],
    readOnly: first,
    destructive,
    idempotent,
    openWorld,
    faults: faultsIn(given),
  };
}

function faultsIn(given: Record<string, unknown>): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (NAMES.includes(name as HintName)) {
      return value === undefined || typeof value === "boolean"
        ? []
        : [`${name} is not a boolean, so it declares nothing`];
    }
    const meant = Object.hasOwn(SPELLINGS, name) ? SPELLINGS[name] : undefined;
    return meant ? [`${quoted(name)} is not a word of the specification (${meant} is), so it declares nothing`] : [];
  });
}

const CLAIMS: Readonly<Record<HintName, readonly [yes: string, no: string]>> = {
  readOnlyHint: ["it changes nothing", "it may change something"],
  destructiveHint: ["it may destroy or overwrite", "it only adds"],
  idempotentHint: ["a repeat with the same arguments changes nothing more", "each repeat may change more"],
  openWorldHint: ["it reaches things outside the server", "it stays inside the server"],
};

/** "The publisher declares …" or "… does not declare …", one sentence a hint. */
export function hintWords({ all, faults }: Hints): readonly string[] {
  const sentences = all.map(({ name, declared, reading, meaningful }) => {
    const claim = CLAIMS[name][reading ? 0 : 1];
    if (declared === undefined) {
      const read = meaningful ? ` The specification reads that as: ${claim}.` : "";
      return `The publisher does not declare ${name}.${read}`;
    }
    const idle = meaningful ? "" : " Beside the claim to be read-only this means nothing.";
    return `The publisher declares ${name}: ${declared}, which claims: ${claim}.${idle}`;
  });
  return [...sentences, ...faults.map((fault) => `Fault in the definition: ${fault}.`)];
}

/** Claims that an observation contradicts. `effects`: how many were seen after one operation's sends. */
export function contradicted(
  hints: Hints,
  seen: { readonly effects: number; readonly sends: number },
): readonly string[] {
  const { readOnly, idempotent } = hints;
  return [
    ...(readOnly.declared === true && seen.effects > 0
      ? [`The publisher declares readOnlyHint: true, but ${count(seen.effects)} of the tool was seen.`]
      : []),
    ...(idempotent.declared === true && idempotent.meaningful && seen.effects > 1 && seen.sends > 1
      ? [
          `The publisher declares idempotentHint: true, but ${count(seen.effects)} of ${seen.sends} equal sends were seen.`,
        ]
      : []),
  ];
}

const count = (effects: number): string => (effects === 1 ? "an effect" : `${effects} effects`);

/** When most tools of a server say exactly the same, it was stamped on, and says nothing of any one of them. */
export function stampedAlike(tools: readonly { readonly annotations?: unknown }[]): string | undefined {
  const sets = tools.map(({ annotations }) => {
    const said = readHints(annotations).all.map(({ declared }) => declared);
    return said.every((declared) => declared === undefined) ? undefined : JSON.stringify(said);
  });
  const most = sets.reduce<Map<string, number>>(
    (seen, set) => (set ? seen.set(set, (seen.get(set) ?? 0) + 1) : seen),
    new Map(),
  );
  const [top] = [...most.values()].sort((a, b) => b - a);
  if (tools.length < 4 || top === undefined || top < tools.length * 0.8) return undefined;
  return `${top} of ${tools.length} tools carry the same hints: they look stamped on, and say nothing about a single tool.`;
}
