/** What the proxy adds between a host and a server: as a hop alone, and with the record of a guarded call. */
import { type Case, interleave, type Row } from "../lib/measure.ts";
import { type Pairing, withPairings } from "../lib/proxied.ts";
import type { Work } from "../run.ts";

export const proxyHop: Work = ({ scale }) =>
  withPairings(async ({ stdio, HTTP }) => [
    ...(await measure("stdio", scale(300), stdio)),
    ...(await measure("HTTP", scale(150), HTTP)),
  ]);

async function measure(name: string, n: number, { bare, proxied }: Pairing): Promise<Row[]> {
  const hosts = { bare: await bare(), memory: await proxied("memory:"), sqlite: await proxied(`hop-${name}.db`) };
  const hop: Case[] = [
    { name: "bare", run: hosts.bare.ping },
    { name: "through the proxy", run: hosts.memory.ping },
  ];
  const calls: Case[] = [
    { name: "bare", run: (each) => hosts.bare.call(`${each}`) },
    { name: "proxy, record in memory", run: (each) => hosts.memory.call(`${each}`) },
    { name: "proxy, SQLite FULL", run: (each) => hosts.sqlite.call(`${each}`) },
  ];
  const work = `tools/call through the proxy, ${name}`;
  const rows = [
    ...(await interleave({ work: `ping, ${name}`, n }, hop)),
    ...(await interleave({ work, n }, calls)),
    ...(await interleave({ work, n: 3 * n, concurrency: 64, rounds: 5 }, calls)),
  ];
  for (const host of Object.values(hosts)) await host.close();
  return rows;
}
