/**
 * The compact text form of a record. A record that is about to be written may hold {@link After} moments: the store stamps
 * the write with its clock (`at`), and {@link decodeRecord} counts them from there. So no caller's clock is ever stored.
 */
import { changed } from "./fields.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import type { OperationRecord, Permit, RecordDraft } from "./record.ts";
import type { After, Basis, Instant, Moment } from "./terms.ts";

const NAMES = {
  state: "s",
  attempts: "n",
  open: "o",
  tokens: "t",
  issuedAt: "i",
  leaseUntil: "l",
  waiting: "w",
  asked: "qa",
  legs: "lg",
  quiesceAt: "q",
  lookAt: "k",
  absent: "a",
  absentAt: "aa",
  probes: "p",
  reason: "r",
  settledAt: "e",
  ref: "f",
  items: "m",
  conflict: "c",
  delivered: "d",
  recallOver: "x",
  accepted: "y",
  attributed: "b",
  watchUntil: "u",
  fingerprint: "h",
  thread: "th",
  holdThread: "ht",
  principal: "pr",
  contract: "ct",
  definition: "df",
  task: "tk",
  taskOver: "ko",
  answered: "z2",
  ruledOut: "z3",
  successOf: "so",
  lossAt: "la",
  keyId: "K",
} as const satisfies Partial<Record<keyof OperationRecord, string>>;

const TIMES: readonly string[] = [
  "issuedAt",
  "leaseUntil",
  "quiesceAt",
  "lookAt",
  "absentAt",
  "settledAt",
  "watchUntil",
] satisfies (keyof typeof NAMES)[];

/** NAMES in a form that costs nothing to walk: a record is written three times and read twice in a clean call. */
const FIELDS = (Object.entries(NAMES) as [keyof typeof NAMES, string][]).map(([name, short]) => ({
  name,
  short,
  /** How the field begins in the text. */
  head: `,"${short}":`,
  isTime: TIMES.includes(name),
}));
const FIELD_OF: ReadonlyMap<string, (typeof FIELDS)[number]> = new Map(FIELDS.map((field) => [field.name, field]));
const LIMITS = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];

const NOTHING: ReadonlySet<string> = new Set();

const isAfter = (moment: Moment): moment is After => typeof moment === "object";
/** The instant of a moment, for a write that the store stamped with `at`. */
export const resolve = (moment: Moment, at: Instant): Instant => (isAfter(moment) ? at + moment.after : moment);

const writeMoment = (moment: Moment): string => (isAfter(moment) ? `"+${moment.after}"` : `${moment}`);
const readMoment = (value: unknown, at: Instant): Instant =>
  typeof value === "string" ? at + Number(value) : (value as number);

/** The compact JSON that a store keeps. Defaults are left out; a closed record takes some 75 bytes. */
export function encodeRecord(record: RecordDraft): string {
  let text = "";
  for (const name in record) {
    const field = FIELD_OF.get(name);
    if (!field) continue;
    const value = record[field.name];
    if (isDefault(field.name, value)) continue;
    text += field.head + (field.isTime ? writeMoment(value as Moment) : JSON.stringify(value));
  }
  if (record.permit) text += `,"g":${writePermit(record.permit)}`;
  if (record.spent) text += `,"v":${writePermit(record.spent)}`;
  const limits = changedLimits(record.limits);
  if (limits) text += `,"z":${limits}`;
  return `{${text.slice(1)}}`;
}

/** One attempt is the rule; `attributed: false` is a fact, any other false flag the absence of one. */
function isDefault(name: keyof typeof NAMES, value: unknown): boolean {
  if (name === "attempts") return value === 1;
  if (name === "attributed") return value === undefined;
  return value === undefined || value === false || value === 0 || (Array.isArray(value) && value.length === 0);
}

/** The record behind a stored text. @param at when the store wrote it, by the store's clock. */
export function decodeRecord(text: string, at: Instant): OperationRecord {
  const raw = JSON.parse(text) as Record<string, unknown>;
  const record: Record<string, unknown> = { attempts: 1, open: 0, tokens: [] };
  for (const { name, short, isTime } of FIELDS) {
    const value = raw[short];
    if (value !== undefined) record[name] = isTime ? readMoment(value, at) : value;
  }
  if (raw.g) record.permit = readPermit(raw.g as unknown[], at);
  if (raw.v) record.spent = readPermit(raw.v as unknown[], at);
  record.limits = raw.z ? limitsFrom(raw.z as Partial<Limits>) : DEFAULT_LIMITS;
  return record as unknown as OperationRecord;
}

/** The record that a draft has become, once the store said when it wrote it: the same as decoding its text. */
export function stampRecord(draft: RecordDraft, at: Instant): OperationRecord {
  const record = changed<object>(draft, NOTHING) as Record<string, unknown>;
  for (const name of TIMES) if (record[name] !== undefined) record[name] = resolve(record[name] as Moment, at);
  if (draft.permit) record.permit = stampPermit(draft.permit, at);
  if (draft.spent) record.spent = stampPermit(draft.spent, at);
  return record as unknown as OperationRecord;
}

function stampPermit({ basis, until, from }: Permit<Moment>, at: Instant): Permit {
  return { basis, until: resolve(until, at), ...(from !== undefined && { from: resolve(from, at) }) };
}

function writePermit({ basis, until, from }: Permit<Moment>): string {
  return `["${basis}",${writeMoment(until)}${from === undefined ? "" : `,${writeMoment(from)}`}]`;
}

function readPermit(raw: readonly unknown[], at: Instant): Permit {
  const permit = { basis: raw[0] as Basis, until: readMoment(raw[1], at) };
  return raw[2] === undefined ? permit : { ...permit, from: readMoment(raw[2], at) };
}

const MOST_LIMITS = 1_000;
const knownLimits = new Map<string, Limits>();

/** The same limits are the same object, so that their text is found again. */
function limitsFrom(changed: Partial<Limits>): Limits {
  const text = JSON.stringify(changed);
  const limits = knownLimits.get(text) ?? { ...DEFAULT_LIMITS, ...changed };
  if (knownLimits.size < MOST_LIMITS) knownLimits.set(text, limits);
  return limits;
}

/** The same few limits are frozen into every record: their text is kept. */
const limitTexts = new WeakMap<Limits, string | undefined>([[DEFAULT_LIMITS, undefined]]);

function changedLimits(limits: Limits): string | undefined {
  if (limitTexts.has(limits)) return limitTexts.get(limits);
  const changed = LIMITS.filter((name) => limits[name] !== DEFAULT_LIMITS[name]);
  const text =
    changed.length > 0 ? JSON.stringify(Object.fromEntries(changed.map((name) => [name, limits[name]]))) : undefined;
  limitTexts.set(limits, text);
  return text;
}
