/** The limits that an operation lives under. */

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
