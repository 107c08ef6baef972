/** `caller.ts FILE CLIENT TARGET`: one guarded call in a process that its parent kills. TARGET: a URL, or a command as JSON. */
import { connectClient } from "../../../cases/clients.ts";
import { openHost } from "../host.ts";

const [file = "", client = "v1", target = ""] = process.argv.slice(2);
const { guard } = openHost(file);
const place = target.startsWith("{") ? JSON.parse(target) : { url: target };
const host = await connectClient(guard, "billing.acme", client as "v1", place, { cleanUp: false });
console.log("calling");
await host.call("create_invoice", { customer: "acme", order: "o-1", amount: 12 });
console.log("answered");
