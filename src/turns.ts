/**
 * Keeps many calls at once from holding the event loop: their work is cut into slices of a few milliseconds, and between
 * two slices sockets and timers have their turn. A call that is alone, or one of a few, never waits.
 */
import type { Clock } from "./ports.ts";

export interface Turns {
  entered(): void;
  left(): void;
  /** To be awaited before a piece of work. Undefined: go on at once, without an `await` that would let others in between. */
  next(): Promise<void> | undefined;
}

/** In ms. */
const SLICE = 2;
/** So many calls cannot fill a slice twice over. */
const FEW = 16;

export function turns(clock: Clock): Turns {
  const waiting: (() => void)[] = [];
  let inside = 0;
  let isOpen = false;
  let since = 0;

  function open(): void {
    isOpen = true;
    since = clock.monotonic();
  }

  /** A new turn of the event loop. */
  function turn(): void {
    isOpen = false;
    if (waiting.length === 0) return;
    open();
    release();
  }

  /** One after the other: what the first does is over before it is decided whether the next is let in. */
  function release(): void {
    if (waiting.length === 0 || clock.monotonic() - since >= SLICE) {
      setImmediate(turn);
      return;
    }
    waiting.shift()?.();
    queueMicrotask(release);
  }

  return {
    entered() {
      inside += 1;
    },
    left() {
      inside -= 1;
    },
    next() {
      if (inside <= FEW) return undefined;
      if (!isOpen) {
        open();
        setImmediate(turn);
      }
      if (waiting.length === 0 && clock.monotonic() - since < SLICE) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
