/** Servers and clients of one test, closed after it. */
import { afterEach } from "vitest";
import {
  type FaultServerCommand,
  type FaultServerOptions,
  faultServerCommand,
  type HttpFaultServer,
  type HttpFaultServerOptions,
  type Step,
  startFaultServer,
} from "../../../../adapters/testing/index.ts";
import { type ClientName, type Connected, type ConnectOptions, connect, type Server } from "./clients.ts";

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

export const later = (cleanUp: () => unknown): void => void cleanUps.push(cleanUp);

export async function http(options: HttpFaultServerOptions = {}): Promise<HttpFaultServer> {
  const server = await startFaultServer(options);
  later(() => server.close());
  return server;
}

export function stdio(options: FaultServerOptions = {}): FaultServerCommand {
  const server = faultServerCommand(options);
  later(() => server.remove());
  return server;
}

export const serverOver = async (kind: "http" | "stdio", options: FaultServerOptions = {}): Promise<Server> =>
  kind === "http" ? http(options) : stdio(options);

/** Plans the steps of `create_invoice`. */
export const invoices = (...steps: Step[]) => ({ script: { create_invoice: steps } });

export async function connected(name: ClientName, server: Server, options: ConnectOptions = {}): Promise<Connected> {
  const client = await connect(name, server, options);
  later(() => client.close().catch(() => {}));
  // A client of the 2026 era does not wait for the process to be up.
  if (!("url" in server)) await client.listTools();
  return client;
}

export const order = { customer: "c1", order: "o1", amount: 10 };
export const BANNED = /fetch failed|connection closed|not connected|http 4\d\d|econnrefused|terminated/i;
