/**
 * The durable record of one operation and its compact text form.
 *
 * A record is written BEFORE anything is sent, and every later version replaces it by compare-and-set. Times are
 * instants of the store's clock. A record that is about to be written may hold {@link After} moments: the store stamps
 * the write with its clock (`at`), and {@link decodeRecord} counts them from there. So no caller's clock is ever stored.
 */
import { changed } from "./fields.ts";
import type { After, Basis, Instant, Moment, PartialItem, State } from "./terms.ts";

/** Time limits and counts, frozen into the record at the first send so that a later configuration cannot bend them. All in ms. */
export interface Limits {
  /** How long an attempt may be driven without renewal. @default 30_000 */
  readonly lease: number;
  /** Time in which a lost write can still land. @default 60_000 */
  readonly settle: number;
  /** The operator declared `settle`; without that no absence is believed. @default false */
  readonly settleDeclared: boolean;
  /** The same for an attempt that was answered (an error answer). @default 0 */
  readonly settleAfterAnswer: number;
  /** How old a read at the destination may be. @default 60_000 */
  readonly staleness: number;
  /** Time between two absent reads that both count; 0: as long as `staleness`. @default 0 */
  readonly readGap: number;
  /** Qualifying absent reads in a row that make `not_applied`. @default 2 */
  readonly absentReads: number;
  /** An absence lets us send again ourselves. @default false */
  readonly resendWhenAbsent: boolean;
  /** An automatic basis lapses this long after the issue of the intent. @default 900_000 */
  readonly validFor: number;
  /** Physical sends at most. @default 3 */
  readonly maxAttempts: number;
  /** Looks at the destination before automation gives up. @default 12 */
  readonly maxProbes: number;
  /** A settled result that nobody received is recalled this long. @default 86_400_000 */
  readonly recallFor: number;
  /** A settled and delivered record is kept this long. @default 2_592_000_000 */
  readonly retention: number;
  /** An effect holds repeats this long after it was settled (`repeat: "recall"`). @default 0 */
  readonly repeatWindow: number;
  /** How long a task of the destination may run before a person is asked. @default 3_600_000 */
  readonly taskFor: number;
  /** How long a question of the destination waits for its answer, while nothing is in flight. @default 600_000 */
  readonly inputFor: number;
}

/** Time between two absent reads that both count. */
export const gapOf = ({ readGap, staleness }: Limits): number => (readGap > 0 ? readGap : staleness);

export const DEFAULT_LIMITS: Limits = {
  lease: 30_000,
  settle: 60_000,
  settleDeclared: false,
  settleAfterAnswer: 0,
  staleness: 60_000,
  readGap: 0,
  absentReads: 2,
  resendWhenAbsent: false,
  validFor: 900_000,
  maxAttempts: 3,
  maxProbes: 12,
  recallFor: 86_400_000,
  retention: 2_592_000_000,
  repeatWindow: 0,
  taskFor: 3_600_000,
  inputFor: 600_000,
};

export interface Permit<T = Instant> {
  readonly basis: Basis;
  /** The permit lapses here. */
  readonly until: T;
  /** Not before this moment (Retry-After). */
  readonly from?: T;
}

export interface OperationRecord<T = Instant> {
  readonly state: State;
  /** Physical sends so far. The newest attempt's number is the fence. */
  readonly attempts: number;
  /** Attempts whose effect is still unknown. */
  readonly open: number;
  /** One token per attempt, oldest first: whoever presents it speaks for that attempt. */
  readonly tokens: readonly string[];
  /** When the intent was issued: contract windows and permits are measured from here, not from the record's birth. */
  readonly issuedAt: T;
  /** The right to one send. Only in `ready`. */
  readonly permit?: Permit<T>;
  /** The permit that the running attempt consumed; given back if the attempt provably sent nothing. */
  readonly spent?: Permit<T>;
  /** The running attempt may be driven until here. Only in `in_flight`. */
  readonly leaseUntil?: T;
  /** The running attempt waits for a person (elicitation, `input_required`). */
  readonly waiting?: boolean;
  /** Keyed digest of the question that the destination asked last: the call goes on with the leg that answers it. */
  readonly asked?: string;
  /** Digests of the questions that were answered or came to nothing, oldest first: what answers one of them is not sent again. */
  readonly legs?: readonly string[];
  /** End of the settle window of all attempts of unknown effect. */
  readonly quiesceAt?: T;
  /** Next look at the destination, or the next step of the sweeper. */
  readonly lookAt?: T;
  /** Qualifying absent reads in a row, and when the last of them began. */
  readonly absent?: number;
  readonly absentAt?: T;
  /** Looks at the destination so far. */
  readonly probes?: number;
  /** Every open attempt was answered, with an answer that proves nothing: no write of theirs is under way any more. */
  readonly answered?: boolean;
  /** The newest attempt did nothing (rejected, never handed over): that word has been counted, it counts once. */
  readonly ruledOut?: boolean;
  /** The attempt whose success settled it, where the success of another one would be a second effect: no contract collapses them. */
  readonly successOf?: number;
  /** The loss of the store that this doubt allows for: the send that it may have taken back is counted. */
  readonly lossAt?: Instant;
  /** Why the record is in doubt, in the queue or refused: a reason code. */
  readonly reason?: string;
  readonly settledAt?: T;
  /** The destination's reference for the effect. */
  readonly ref?: string;
  readonly items?: readonly PartialItem[];
  /** Two pieces of evidence that cannot both hold. */
  readonly conflict?: boolean;
  /** A definite outcome was handed to the caller's own thread. */
  readonly delivered?: boolean;
  /** Nobody came for the settled result within `recallFor`. */
  readonly recallOver?: boolean;
  /** A person accepted the outcome as final (closes `partial` and `conflict`). */
  readonly accepted?: boolean;
  /** False: the end state holds, the cause is not known. */
  readonly attributed?: boolean;
  /** After a resend, keep looking for a late landing of the first attempt until here. */
  readonly watchUntil?: T;
  /** Keyed digest of the identity arguments: the name of its hold. Absent with `identity: "per-call"`. */
  readonly fingerprint?: string;
  /** Keyed digest of the thread that issued it: the outcome must be delivered there. */
  readonly thread?: string;
  /** Keyed digest of the principal on whose behalf it was issued, where one was named. */
  readonly principal?: string;
  /** While in doubt, hold every call of the tool in this thread (`hold: "tool"`). */
  readonly holdThread?: boolean;
  /** Fingerprint of the contract in force at the first send. */
  readonly contract?: string;
  /** Fingerprint of the tool's definition at the first send, where its list had been seen. */
  readonly definition?: string;
  /** Handle of a task that the destination created. */
  readonly task?: string;
  /** That task says no more: it ended without proof, was cancelled, or is not known any more. */
  readonly taskOver?: boolean;
  readonly limits: Limits;
  /** Id of the secret behind digests and key. */
  readonly keyId?: string;
}

export type RecordDraft = OperationRecord<Moment>;

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
