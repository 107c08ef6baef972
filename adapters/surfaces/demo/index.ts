/** The demo, for the command and for the examples. Needs `@modelcontextprotocol/sdk`. */
export { type Billing, startBilling } from "./billing.ts";
export { type DemoOptions, runDemo } from "./demo.ts";
