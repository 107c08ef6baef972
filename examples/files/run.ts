/**
 * The filesystem server is killed (SIGKILL) after it wrote the file and before its answer is heard. The agent reads that
 * it is not known, and finds the file when it is started again. Run: npx tsx examples/files/run.ts
 */
import { onABadLine } from "../support/on-a-bad-line.ts";

const line = onABadLine({ agent: new URL("./agent.ts", import.meta.url), tool: "write_file", dies: "server" });
console.log(`the agent writes a file: ${await line.run()}`);
console.log(`it is started again: ${await line.run()}`);
console.log(`and once more: ${await line.run()}`);
console.log(`calls that reached the server: ${line.calls()}; the file: ${JSON.stringify(line.read("report.md"))}`);
