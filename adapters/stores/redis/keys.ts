/**
 * The layout. Everything of one group lives in one hash slot, so that one script changes it in one step:
 *
 *     in1:{<namespace>.<tag>}:m          string  epoch|born|run id|loss|generation|left|count|last
 *     in1:{<namespace>.<tag>}:n          string  names of the group
 *     in1:{<namespace>.<tag>}:r:<rest>   string  version|at|token|digest|flags|body
 *     in1:{<namespace>.<tag>}:p:<rest>   string  <own end, 13 digits>|payload
 *     in1:{<namespace>.<tag>}:h:<rest>   list    at|line
 *     in1:{<namespace>.<tag>}:o          hash    hold entry -> owners, comma-separated
 *     in1:{<namespace>.<tag>}:j          list    number|at|<rest>|line: the journal, the newest 10,000
 *     in1:{<namespace>.<tag>}:d, :a      zset    due, attention: <rest> -> ms
 *
 * and what concerns all groups in a control slot: `in1:{<namespace>}:m` and `:n` (marks), `:g` (registry, tag -> names)
 * and `:s` (suspensions). `indoubt:{<namespace>}` (layout, key id) is the same in every layout. `<rest>` is an operation
 * id without `<tag>_`.
 */
import type { Group } from "../../../src/entries/store.ts";

/** Part of every key; another number is another layout. */
export const LAYOUT = "in1";
const TAG_LENGTH = 10;

/** Keys of one group that do not depend on a record. */
export interface GroupKeys {
  readonly base: string;
  readonly marks: string;
  readonly names: string;
  readonly holds: string;
  readonly due: string;
  readonly attention: string;
}

export interface ControlKeys {
  readonly marks: string;
  readonly names: string;
  readonly groups: string;
  readonly suspensions: string;
  readonly config: string;
}

export function groupKeys(namespace: string, tag: string): GroupKeys {
  const base = `${LAYOUT}:{${namespace}.${tag}}:`;
  return {
    base,
    marks: `${base}m`,
    names: `${base}n`,
    holds: `${base}o`,
    due: `${base}d`,
    attention: `${base}a`,
  };
}

export function controlKeys(namespace: string): ControlKeys {
  const base = `${LAYOUT}:{${namespace}}:`;
  const config = `indoubt:{${namespace}}`;
  return { marks: `${base}m`, names: `${base}n`, groups: `${base}g`, suspensions: `${base}s`, config };
}

export type RecordKeys = ReturnType<typeof recordKeys>;

/** The keys of one record. @param rest the operation id without its tag */
export const recordKeys = ({ base }: GroupKeys, rest: string) => ({
  record: `${base}r:${rest}`,
  payload: `${base}p:${rest}`,
  history: `${base}h:${rest}`,
});

export const tagOf = (id: string): string => id.slice(0, TAG_LENGTH);
export const restOf = (id: string): string => id.slice(TAG_LENGTH + 1);
export const idOf = (tag: string, rest: string): string => `${tag}_${rest}`;

/** Names of a group as the registry keeps them. */
export const writeNames = ({ server, tool, tenant }: Group): string => JSON.stringify([server, tool, tenant]);

export function readNames(tag: string, names: string): Group {
  const [server = "", tool = "", tenant = ""] = JSON.parse(names) as string[];
  return { tag, tenant, server, tool };
}
