import type { Arrival, Effect, EffectLog } from "./effect-log.ts";
import { type JsonObject, type JsonValue, sameJson, textAt } from "./json.ts";
import type { ReadTool } from "./tools.ts";

/** Where the destination looks for the caller's idempotency key. */
export type KeyPlace = { readonly argument: string } | { readonly header: string } | { readonly meta: string };

/** The destination's own deduplication. */
export interface NativeKey {
  readonly from: KeyPlace;
  /**
   * Ms for which a key is remembered after its effect.
   * @default 86400000
   */
  readonly windowMs?: number;
  /**
   * What a second call with a key that is still in flight gets.
   * - `reject`: an error that says so
   * - `join`: the first call's reference
   * - `race`: its own effect, as destinations without a lock do
   * @default "reject"
   */
  readonly overlap?: "reject" | "join" | "race";
  /**
   * What a known key with other arguments gets.
   * @default "reject"
   */
  readonly mismatch?: "reject" | "replay" | "execute";
}

/** How the world behind the tools behaves. */
export interface DestinationOptions {
  /**
   * Deduplicates by a key of the caller.
   * @default no native key
   * @example { from: { header: "Idempotency-Key" }, windowMs: 60_000 }
   */
  readonly nativeKey?: NativeKey;
  /**
   * Ms until a read sees an effect.
   * @default 0
   */
  readonly visibleAfter?: number;
  /**
   * So many reads fail before the first one works, counted over the life of the log.
   * @default 0
   */
  readonly failReads?: number;
  /**
   * A field that must not occur twice among the objects of a tool.
   * @default no unique field
   * @example { tool: "create_invoice", field: "order", clash: "rename" }
   */
  readonly unique?: { readonly tool: string; readonly field: string; readonly clash: "refuse" | "rename" };
}

/** An object of the destination, as lookups return it. */
export interface StoredObject extends JsonObject {
  id: string;
}

/** The objects that a write tool has left, oldest first. The state is a fold over the log: it survives a restart. */
export function storedObjects(effects: readonly Effect[]): StoredObject[] {
  return effects.map(({ reference, arguments: args, status }) => ({
    ...args,
    id: reference,
    ...(status === undefined ? {} : { status }),
  }));
}

/** What a read finds now, or `undefined` when the lookup itself fails. */
export function lookUp(
  log: EffectLog,
  options: DestinationOptions,
  tool: ReadTool,
  args: JsonObject,
): StoredObject[] | undefined {
  if (log.reads().length < (options.failReads ?? 0)) return undefined;
  const horizon = Date.now() - (options.visibleAfter ?? 0);
  const visible = storedObjects(log.effects(tool.of).filter(({ at }) => at <= horizon));
  return newestBy(tool.latestBy, visible).filter((object) => matches(object, args));
}

function newestBy(field: string | undefined, objects: StoredObject[]): StoredObject[] {
  if (field === undefined) return objects;
  return [...new Map(objects.map((object) => [object[field], object])).values()];
}

function matches(object: StoredObject, args: JsonObject): boolean {
  return Object.entries(args).every(([name, value]) =>
    sameJson(object[name === "reference" ? "id" : name] ?? null, value),
  );
}

/** The key of a call, where the destination looks for it. */
export function keyOf(options: DestinationOptions, arrival: Arrival): string | undefined {
  const place = options.nativeKey?.from;
  if (place === undefined) return undefined;
  if ("argument" in place) return textAt(arrival.arguments, place.argument);
  return "meta" in place ? textAt(arrival.meta, place.meta) : arrival.headers?.[place.header.toLowerCase()];
}

/** What the native key says about a call, before anything is done. */
export type KeyVerdict =
  | { readonly kind: "execute" }
  | { readonly kind: "replay"; readonly reference: string }
  | { readonly kind: "refuse"; readonly reason: string };

export function judgeKey(log: EffectLog, options: DestinationOptions, arrival: Arrival): KeyVerdict {
  const key = keyOf(options, arrival);
  const earliest = arrival.at - (options.nativeKey?.windowMs ?? 86_400_000);
  const first = log
    .effects(arrival.tool)
    .find((effect) => key !== undefined && effect.key === key && effect.at >= earliest);
  if (first === undefined) return { kind: "execute" };
  const mismatch = options.nativeKey?.mismatch ?? "reject";
  if (mismatch === "replay" || sameJson(argumentsSentFor(log, first), arrival.arguments)) {
    return { kind: "replay", reference: first.reference };
  }
  if (mismatch === "execute") return { kind: "execute" };
  return { kind: "refuse", reason: "This idempotency key was used with other arguments." };
}

/** An effect may hold only a part of what was sent, so its arrival is asked. */
function argumentsSentFor(log: EffectLog, effect: Effect): JsonObject {
  return log.arrivals()[effect.arrival - 1]?.arguments ?? effect.arguments;
}

/** What a unique field makes of the arguments: unchanged, renamed, or refused with the reference in the way. */
export function applyUnique(
  log: EffectLog,
  { unique }: DestinationOptions,
  arrival: Arrival,
): { readonly arguments: JsonObject } | { readonly clashesWith: string } {
  if (unique?.tool !== arrival.tool) return { arguments: arrival.arguments };
  const taken = storedObjects(log.effects(arrival.tool));
  const clash = taken.find((object) => sameJson(object[unique.field] ?? null, arrival.arguments[unique.field] ?? null));
  if (clash === undefined) return { arguments: arrival.arguments };
  if (unique.clash === "refuse") return { clashesWith: clash.id };
  return {
    arguments: { ...arrival.arguments, [unique.field]: freeName(arrival.arguments[unique.field], unique.field, taken) },
  };
}

function freeName(wanted: JsonValue | undefined, field: string, taken: readonly StoredObject[]): string {
  for (let number = 1; ; number++) {
    const name = `${String(wanted)}(${number})`;
    if (!taken.some((object) => object[field] === name)) return name;
  }
}
