/**
 * Copies of small objects, field by field. Rest, and every spread but the first of a literal, take a slow way through
 * the engine, some microseconds each: a clean call made thirty of them and paid more than for all its cryptography.
 */

/** The same fields; those that may be absent may be `undefined` instead. */
type Loose<T> = {
  readonly [Name in keyof T]: T[Name] | (Record<never, never> extends Pick<T, Name> ? undefined : never);
};

/** The object without the fields that have no value. */
export function defined<T extends object>(fields: Loose<T>): T {
  const known: Record<string, unknown> = {};
  for (const name in fields) {
    const value: unknown = fields[name];
    if (value !== undefined) known[name] = value;
  }
  return known as T;
}

/** A copy without some fields, and with the changes, the last of which counts. */
export function changed<T extends object>(
  object: T,
  dropped: ReadonlySet<string>,
  ...changes: readonly Partial<T>[]
): T {
  const copy: Record<string, unknown> = {};
  for (const name in object) if (!dropped.has(name)) copy[name] = object[name];
  for (const change of changes) for (const name in change) copy[name] = change[name];
  return copy as T;
}

/** For {@link changed}. */
export const fieldNames = <T>(...names: readonly (keyof T & string)[]): ReadonlySet<string> => new Set(names);
