/** A long-running command ends in order: the first signal asks, the second one ends it at once. */
export function untilStopped(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // The reader of our output went away, as `| head` does.
  process.stdout.on("error", stop);
  return controller.signal;
}
