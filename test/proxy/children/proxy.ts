/** `proxy.ts JSON`: a proxy in a process of its own, as a host starts it. Over HTTP it prints its URL. */

import { sqliteStore } from "../../../adapters/stores/sqlite/index.ts";
import { startProxy, stdioProxy } from "../../../adapters/surfaces/proxy/index.ts";
import { createGuard } from "../../../src/index.ts";
import { type ProxySettings, SECRET } from "../settings.ts";

const { store, target, http, options, tools = {}, lease = 30_000 } = JSON.parse(process.argv[2] ?? "") as ProxySettings;
const guard = createGuard({
  store: sqliteStore({ file: store }),
  secret: SECRET,
  lease,
  sweepEvery: 200,
  servers: { billing: { tools } },
});
await guard.start();
const common = { guard, server: "billing", target, ...options };
if (http) {
  const proxy = await startProxy({ ...common, port: 0 });
  console.log(proxy.url);
  await new Promise((resolve) => process.once("SIGTERM", resolve));
  await proxy.close();
} else {
  const proxy = stdioProxy(common);
  process.once("SIGTERM", () => void proxy.close());
  await proxy.ended;
}
await guard.close();
process.exit(0);
