/**
 * The way to an HTTP server for hooks and resends, per principal: with the headers of its latest request. They are kept
 * in memory only, for as long as the proxy runs.
 */
import { randomUUID } from "node:crypto";
import type { GuardedCalls } from "../../../src/entries/wire.ts";
import { envelopeOf, type Fetch, httpWire, isFrame, modernHeaders } from "../../mcp/relay/index.ts";

export interface Seen {
  readonly principal: string | undefined;
  readonly headers: Headers;
  readonly value: unknown;
}

export interface Connections {
  seen(seen: Seen): void;
  close(): void;
}

interface Connection {
  headers: Record<string, string>;
  envelope: ReturnType<typeof envelopeOf>;
  readonly disconnect: () => void;
}

const MOST = 1_000;
/** Of one message alone. */
const OF_THE_MESSAGE = /^(mcp-method|mcp-name|mcp-param-.*|content-.*|accept.*|last-event-id)$/;

export function connectionsOf(options: {
  readonly guard: GuardedCalls;
  readonly server: string;
  readonly url: string;
  readonly fetch: Fetch;
}): Connections {
  const { guard, server, url, fetch } = options;
  const known = new Map<string | undefined, Connection>();
  const session = randomUUID().slice(0, 8);
  let minted = 0;

  function connect(principal: string | undefined): Connection {
    const connection: Connection = {
      headers: {},
      envelope: undefined,
      disconnect: guard.connected(
        server,
        httpWire({
          url,
          fetch,
          closing: guard.closing,
          freshId: () => `indoubt-${session}-${++minted}`,
          get envelope() {
            return connection.envelope;
          },
          headers: (frame) => ({
            ...connection.headers,
            ...(connection.envelope && modernHeaders(frame)),
          }),
        }),
        principal === undefined ? {} : { principal },
      ),
    };
    known.set(principal, connection);
    const [oldest] = known.keys();
    if (known.size > MOST) {
      known.get(oldest)?.disconnect();
      known.delete(oldest);
    }
    return connection;
  }

  return {
    seen({ principal, headers, value }) {
      // Before the handshake is over there is nobody to ask.
      if (!isFrame(value) || value.method === "initialize") return;
      const connection = known.get(principal) ?? connect(principal);
      connection.headers = Object.fromEntries([...headers].filter(([name]) => !OF_THE_MESSAGE.test(name)));
      connection.envelope = envelopeOf(value);
    },
    close() {
      for (const { disconnect } of known.values()) disconnect();
      known.clear();
    },
  };
}
