/** `writer.ts FILE NAME`: writes until it is killed, and says on stdout what was acknowledged. */
import { writeSync } from "node:fs";
import { sqliteStore } from "../../../../adapters/stores/sqlite/index.ts";
import { intent, settle } from "./requests.ts";

const [file = "", name = ""] = process.argv.slice(2);
const store = sqliteStore({ file });
await store.open();

async function work(worker: number): Promise<void> {
  for (let round = 0; ; round += 1) {
    const own = `${name}-${worker}-${round}`;
    await store.begin(intent(own, { holds: [own], history: ["begun"] }));
    writeSync(1, `${own} 1\n`);
    await store.swap(settle(own, { payload: "result".repeat(100), history: ["settled"] }));
    writeSync(1, `${own} 2\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)));
