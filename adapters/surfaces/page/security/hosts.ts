/** Which names this page answers to: a page of another site must not reach it under a name that points here. */

const LOOPBACK = new Set(["127.0.0.1", "localhost", "::1"]);
const UNSPECIFIED = new Set(["0.0.0.0", "::", ""]);

export const isLoopback = (host: string): boolean => LOOPBACK.has(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
export const isUnspecified = (host: string): boolean => UNSPECIFIED.has(host);

/** How a host stands in a URL. */
export const inUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** The values of the Host header that are ours. */
export function allowedHosts(host: string, port: number, publicUrl: URL | undefined): ReadonlySet<string> {
  const names = isLoopback(host) ? new Set([host, ...LOOPBACK]) : new Set(isUnspecified(host) ? [] : [host]);
  const local = [...names].flatMap((name) => withPort(inUrl(name).toLowerCase(), port));
  return new Set([...local, ...(publicUrl ? [publicUrl.host] : [])]);
}

/** Port 80 is left out by browsers. */
const withPort = (name: string, port: number): string[] => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]);
