/** A billing server over HTTP, in a process of its own, that makes the first invoice and loses the reply. */
import { faultServerCommand, spawnFaultServer } from "../../adapters/testing/index.ts";

export async function lossyBilling() {
  const { url, log, close } = await spawnFaultServer({ script: { create_invoice: [{ reply: "reset" }, {}] } });
  return { url, close, invoices: () => log.effects("create_invoice").length };
}

/** The same over stdio: it makes the first invoice and dies. */
export function dyingBilling() {
  const script = { create_invoice: [{ reply: "kill_process" as const }, {}] };
  const { command, args, log, remove } = faultServerCommand({ script });
  return { command, args, close: remove, invoices: () => log.effects("create_invoice").length };
}

/** What the scripted models of these examples ask for: the invoice, and once more, as models do when they see no success. */
const order = `o-${Date.now()}`;
export const ASKS = ["call_1", "call_2"].map((id) => ({
  id,
  name: "create_invoice",
  arguments: { customer: "acme", order, amount: 90 },
}));

/** The first sentence of what the model read for a call. */
export const brief = (text: string): string => text.split(". ")[0] ?? text;
