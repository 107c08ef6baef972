/**
 * Where moments stand on the drawing. Milliseconds and days must both be seen, so the axis is compressed: each gap is as
 * wide as its logarithm, and never so narrow that two marks cover each other.
 */

export interface Placed<T> {
  readonly item: T;
  readonly x: number;
}

/** @param moments in the order of their times @param width of the drawing, from 0 */
export function placed<T extends { readonly at: number }>(moments: readonly T[], width: number): Placed<T>[] {
  const weights = moments.map(({ at }, index) => (index === 0 ? 0 : weightOf(at - (moments[index - 1]?.at ?? at))));
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  let sum = 0;
  return moments.map((item, index) => {
    sum += weights[index] ?? 0;
    return { item, x: (sum / total) * width };
  });
}

const weightOf = (gap: number): number => 1 + Math.log10(1 + Math.max(0, gap) / 50);
