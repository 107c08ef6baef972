/** A model that says what is written here: no network, no key. */
import { type Model, type ModelRequest, type ModelResponse, setTracingDisabled, Usage } from "@openai/agents";
import { ASKS, brief } from "../support/lossy-billing.ts";

export function scriptedModel(): Model {
  setTracingDisabled(true); // Traces go to OpenAI, and want a key.
  const asks = ASKS[Symbol.iterator]();
  return {
    async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
      const last = Array.isArray(input) ? input.at(-1) : undefined;
      if (last?.type === "function_call_result") {
        const [first] = [last.output].flat() as { text?: string }[];
        console.log("the model reads:", brief(first?.text ?? String(first)));
      }
      const ask = asks.next().value;
      return { usage: new Usage(), output: [ask ? call(ask) : DONE] };
    },
    getStreamedResponse() {
      throw new Error("This model does not stream.");
    },
  };
}

const call = ({ id, name, arguments: args }: (typeof ASKS)[number]) =>
  ({ type: "function_call", callId: id, name, arguments: JSON.stringify(args), status: "completed" }) as const;

const DONE: ModelResponse["output"][number] = {
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "done" }],
};
