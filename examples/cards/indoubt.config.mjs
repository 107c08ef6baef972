// The official filesystem and memory servers as a test environment. The cards beside this file were made with it:
// npx tsx examples/cards/make.ts
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
/** Seen from `cwd`, so that a card names no folder of one machine. */
const program = (name) => `../../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;

/** Effects are what the destination shows, not what the tool answers. */
const counted = (count) => (count > 0 ? { kind: "applied", count } : { kind: "absent" });
const textOf = async (call, path) => {
  const answer = await call("read_text_file", { path }, { toolErrors: "return" });
  return answer.isError ? undefined : answer.content[0].text;
};

const terms = { concurrent: "joined", mismatch: "ignored", replaysErrors: false };
const byArguments = {
  ...terms,
  dedupes: "arguments",
  window: "365d",
  scope: { caller: "whoever starts the server", downstream: "included" },
  review: { source: "the server's source, as installed", by: "the examples", on: "2026-11-30" },
};

// biome-ignore lint/style/noDefaultExport: a configuration is the default export of its file
export default {
  store: "memory:",
  servers: {
    files: {
      command: "node",
      args: [program("filesystem"), "."],
      cwd: "./data",
      environment: "test",
      tools: {
        read_text_file: { effect: "read" },
        write_file: {
          identityArgs: ["/path"],
          contract: byArguments,
          reconcile: {
            settle: "1s",
            look: async ({ arguments: { path, content } }, { call }) =>
              counted((await textOf(call, path)) === content ? 1 : 0),
          },
        },
        edit_file: {
          identityArgs: ["/edits/0/newText"],
          reconcile: {
            settle: "1s",
            look: async ({ arguments: { path, edits } }, { call }) => {
              const line = edits[0].newText.split("\n").at(-1);
              return counted(((await textOf(call, path)) ?? "").split("\n").filter((each) => each === line).length);
            },
          },
        },
      },
    },
    memory: {
      command: "node",
      args: [program("memory")],
      cwd: "./data",
      env: { MEMORY_FILE_PATH: join(here, "data/memory.jsonl") },
      environment: "test",
      tools: {
        read_graph: { effect: "read" },
        create_entities: {
          identityArgs: ["/entities/0/name"],
          contract: byArguments,
          reconcile: {
            settle: "1s",
            look: async ({ arguments: { entities } }, { call }) => {
              const { structuredContent } = await call("read_graph");
              return counted(structuredContent.entities.filter(({ name }) => name === entities[0].name).length);
            },
          },
        },
      },
    },
  },
};
