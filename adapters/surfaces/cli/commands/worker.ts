import { type CommonOptions, type Define, optionsOf, withCommon } from "../cli.ts";
import { wholeNumber } from "../filter.ts";

interface Options extends CommonOptions {
  readonly healthPort?: string;
  readonly bare?: boolean;
}

const EXAMPLES = `
Examples:
  indoubt worker
  indoubt worker --config ./ops/indoubt.config.mjs --health-port 8080 --json
  curl http://127.0.0.1:8080/health

Ends leases of dead processes, asks the hooks of the configuration, sends again
where a contract or an operator allows it, watches for late landings. It
connects to the configured servers. Run as many as you like: an operation is
driven by one at a time. SIGTERM and SIGINT end it in order.

It needs the configuration that your programs have: what has no hook or contract
here is given to a person.`;

export const defineWorker: Define = (parent) => {
  const command = parent
    .command("worker")
    .description("drives what is open: sweeps, asks hooks, sends again where that is allowed, watches")
    .option("--health-port <port>", "answers GET /health on 127.0.0.1 (0 takes a free port and logs it)")
    .option("--bare", "run without a configuration file: none of your programs has a hook or a contract");
  withCommon(command).addHelpText("after", EXAMPLES);
  command.action(async () => {
    const { json, config, store, namespace, healthPort, bare } = optionsOf<Options>(command);
    const { runWorker } = await import("../worker/run.ts");
    await runWorker({
      open: { config, store, namespace },
      format: json ? "json" : "text",
      bare: bare === true,
      healthPort: healthPort === undefined ? undefined : wholeNumber("--health-port", healthPort, 0, 65_535),
    });
  });
};
