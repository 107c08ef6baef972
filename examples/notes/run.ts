/**
 * The agent is killed (SIGKILL) in the moment in which the memory server has answered, and started again: the note is
 * written once. Run: npx tsx examples/notes/run.ts
 */
import { onABadLine } from "../support/on-a-bad-line.ts";

const line = onABadLine({ agent: new URL("./agent.ts", import.meta.url), tool: "create_entities", dies: "agent" });
console.log(`the agent writes a note: ${await line.run()}`);
console.log(`it is started again: ${await line.run()}`);
console.log(`and once more: ${await line.run()}`);
const notes = line.read("memory.jsonl").trim().split("\n");
console.log(`calls that reached the server: ${line.calls()}; notes: ${notes.length}`);
