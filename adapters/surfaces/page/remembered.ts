/**
 * What is dear to read, read once for all who ask within a while. Who asks while it is being read waits for the same
 * reading. A failure is not remembered.
 */
export function remembered<T>(read: () => Promise<T>, ms: number, now: () => number = Date.now): () => Promise<T> {
  let last: Promise<T> | undefined;
  let endsAt = 0;
  return () => {
    const at = now();
    // A clock that was set back must not keep what is old.
    if (last && at < endsAt && at >= endsAt - ms) return last;
    const reading = read();
    last = reading;
    endsAt = at + ms;
    reading.catch(() => {
      if (last === reading) last = undefined;
    });
    return reading;
  };
}
