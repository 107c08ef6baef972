/** A transport of one process, whose server is the test. */
export function pipe() {
  const seen: unknown[] = [];
  const messages: unknown[] = [];
  const transport = {
    onmessage: undefined as ((message: unknown) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    onerror: undefined as ((error: Error) => void) | undefined,
    start: async (): Promise<void> => {},
    send: async (message: unknown): Promise<void> => void seen.push(message),
    close: async (): Promise<void> => transport.onclose?.(),
  };
  return {
    transport: transport as typeof transport & { onclose: () => void },
    messages,
    received: (message: unknown): void => void messages.push(message),
    server: {
      seen,
      reply: (message: unknown): void => transport.onmessage?.(message),
      close: (): void => transport.onclose?.(),
    },
  };
}
