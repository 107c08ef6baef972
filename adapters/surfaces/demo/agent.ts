/** A scripted agent loop: calls a tool, reads the text, calls again while it reads an error. As agents do. */
import type { Billing } from "./billing.ts";
import type { Screen } from "./screen.ts";

export interface Task {
  readonly tool: string;
  readonly arguments: { readonly order: string; readonly cents: number };
}

/** The text that the model reads. */
export interface Reading {
  readonly text: string;
  readonly isError: boolean;
}

const MOST_CALLS = 2;
/** The operation id at the end of each text: long, and of no use in a story. */
const REFERENCE = / ?\(reference [^)]*\)/;

export async function runAgent(
  task: Task,
  call: (task: Task) => Promise<Reading>,
  story: { readonly billing: Billing; readonly screen: Screen },
): Promise<void> {
  const server = follow(story.billing, story.screen);
  for (let calls = 0; calls < MOST_CALLS; calls++) {
    const { order, cents } = task.arguments;
    story.screen.line(
      "agent",
      `${calls === 0 ? "calls" : "calls again:"} ${task.tool} { order: "${order}", cents: ${cents} }`,
    );
    const { text, isError } = await call(task);
    server.catchUp();
    story.screen.line("agent", `reads: ${text.replace(REFERENCE, "")}`);
    if (!isError) break;
  }
  server.stop();
}

/** Tells what the server does, as it happens, from the server's own file. */
function follow(billing: Billing, screen: Screen) {
  let told = billing.requests().length;
  const catchUp = () => {
    for (const { did, reply } of billing.requests().slice(told)) {
      told += 1;
      screen.line("server", reply === "lost" ? `${did}; the reply is lost` : did);
    }
  };
  const timer = setInterval(catchUp, 20);
  return {
    catchUp,
    stop() {
      clearInterval(timer);
    },
  };
}
