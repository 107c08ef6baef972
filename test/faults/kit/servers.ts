import { onTestFinished } from "vitest";
import {
  type FaultPath,
  type FaultServerCommand,
  type FaultServerOptions,
  faultServerCommand,
  type HttpFaultServer,
  type HttpFaultServerOptions,
  type PathStep,
  startFaultPath,
  startFaultServer,
} from "../../../adapters/testing/index.ts";

/** Fault servers and paths that go away with the test. */
export async function httpServer(options: HttpFaultServerOptions = {}): Promise<HttpFaultServer> {
  const server = await startFaultServer(options);
  onTestFinished(() => server.close());
  return server;
}

export function stdioServer(options: FaultServerOptions = {}): FaultServerCommand {
  const server = faultServerCommand(options);
  onTestFinished(() => server.remove());
  return server;
}

export async function pathTo(server: HttpFaultServer, ...steps: PathStep[]): Promise<FaultPath> {
  const path = await startFaultPath(server.url, { steps });
  onTestFinished(() => path.close());
  return path;
}
