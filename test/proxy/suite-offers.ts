/** The prompts and resources by which the official conformance suite tries a server out. */
import type { GetPromptResult, Prompt, ReadResourceResult, Resource } from "@modelcontextprotocol/sdk/types.js";
import { PNG } from "./suite-media.ts";

type Args = Readonly<Record<string, string>>;
type Content = GetPromptResult["messages"][number]["content"];

const user = (...contents: Content[]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: "user", content })),
});
const embedded = (uri: string): Content => ({
  type: "resource",
  resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
});
const required = (...names: string[]) =>
  names.map((name) => ({ name, description: `The argument ${name}.`, required: true }));

const PROMPTS: Readonly<Record<string, readonly [Prompt["arguments"], (args: Args) => GetPromptResult]>> = {
  test_simple_prompt: [undefined, () => user({ type: "text", text: "This is a simple prompt for testing." })],
  test_prompt_with_arguments: [
    required("arg1", "arg2"),
    ({ arg1, arg2 }) => user({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  ],
  test_prompt_with_embedded_resource: [
    required("resourceUri"),
    ({ resourceUri = "" }) =>
      user(embedded(resourceUri), { type: "text", text: "Please process the embedded resource above." }),
  ],
  test_prompt_with_image: [
    undefined,
    () =>
      user(
        { type: "image", data: PNG, mimeType: "image/png" },
        { type: "text", text: "Please analyze the image above." },
      ),
  ],
};

export const promptList = (): Prompt[] =>
  Object.entries(PROMPTS).map(([name, [args]]) => ({
    name,
    description: `Tries ${name}.`,
    ...(args && { arguments: args }),
  }));

export const prompt = (name: string, args: Args): GetPromptResult | undefined => PROMPTS[name]?.[1](args);

export const RESOURCES: readonly Resource[] = [
  { uri: "test://static-text", name: "static-text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "A picture.", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched", description: "May be watched.", mimeType: "text/plain" },
];
export const TEMPLATES = [
  { uriTemplate: "test://template/{id}/data", name: "template", description: "Data.", mimeType: "application/json" },
];

export function read(uri: string): ReadResourceResult | undefined {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(data) }] };
  }
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: PNG }] };
  if (!RESOURCES.some((resource) => resource.uri === uri)) return undefined;
  return { contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }] };
}
