/** OpenAI Responses: `function_call` items in, `function_call_output` items out. */
import type { JsonObject } from "../../../src/index.ts";
import { type Dialect, parsedArguments, type ToolAnswer, type WantedCall, wordsOf } from "./turn.ts";

/** A response. */
export interface ResponsesTurn {
  readonly id?: string;
  readonly output: readonly { readonly type: string }[];
}

type OutputPart = { type: "input_text"; text: string } | { type: "input_image"; image_url: string; detail: "auto" };

export interface FunctionCallOutput {
  type: "function_call_output";
  call_id: string;
  output: string | OutputPart[];
}

export function openaiResponses({ id, output }: ResponsesTurn): Dialect<FunctionCallOutput> {
  const items = output as readonly JsonObject[];
  return {
    turnId: id,
    calls: items.filter(({ type }) => type === "function_call").map(callOf),
    result: (call, answer) => ({ type: "function_call_output", call_id: call.id, output: outputOf(answer) }),
  };
}

const callOf = ({ call_id, name, arguments: given }: JsonObject): WantedCall => ({
  id: String(call_id),
  name: String(name),
  arguments: parsedArguments(String(given)),
});

function outputOf({ content }: ToolAnswer): string | OutputPart[] {
  if (!content.some(isImage)) return content.map(wordsOf).join("\n");
  return content.map((block) =>
    isImage(block)
      ? {
          type: "input_image",
          image_url: `data:${String(block.mimeType)};base64,${String(block.data)}`,
          detail: "auto",
        }
      : { type: "input_text", text: wordsOf(block) },
  );
}

const isImage = ({ type }: JsonObject): boolean => type === "image";
