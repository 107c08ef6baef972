/** The marks of a group as this process last saw them; lua/_group.lua tells what they are. */

export interface Marks {
  /** What a script compares with what is there; empty as long as nothing is known. */
  head: string;
  /** `""`: nothing is known. `"*"`: the group has marks, which are not known here. */
  epoch: string;
  runId: string;
  /** The last known loss of acknowledged writes, in ms of the store's clock; 0 = none. */
  loss: number;
  generation: number;
  /** Writes of the group, at least. */
  count: number;
}

export const unknownMarks = (epoch: "" | "*"): Marks => ({
  head: "",
  epoch,
  runId: "",
  loss: 0,
  generation: 0,
  count: 0,
});

export function learnMarks(marks: Marks, text: string): void {
  const [epoch = "", , runId = "", loss, generation, , count, last] = text.split("|");
  marks.head = text.slice(0, text.length - `${count}|${last}`.length);
  marks.epoch = epoch;
  marks.runId = runId;
  marks.loss = Number(loss);
  marks.generation = Number(generation);
  marks.count = Number(count);
}

/** Of a group that is only read. */
export function readMarks(text: string | null) {
  const [, , , loss = 0, generation = 0, , , last = 0] = text?.split("|") ?? [];
  return { loss: Number(loss), generation: Number(generation), last: Number(last) };
}
