/** One row of the duplicates table, as `npm run duplicates -- --json` prints it. */
export interface DuplicatesRow {
  readonly fault: string;
  readonly client: string;
  /** Behind indoubt; among callers with a key also behind a peer. */
  readonly guarded: boolean;
  /** Effects that the callers want: one for each operation. */
  readonly wanted: number;
  readonly effects: number;
  /** Operations without an effect, of which neither the caller nor a queue knows. */
  readonly lost: number;
  /** Operations whose caller has no definite answer at the end, and that no queue shows to a person. */
  readonly stuck: number;
  /** Operations with an effect that no record of the client shows. */
  readonly invisible: number;
  /** Operations whose caller was told something that is not so, or that happened more than once. */
  readonly wrong: number;
}
