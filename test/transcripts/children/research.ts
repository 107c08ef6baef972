/** A search engine: it changes nothing. */
import { z } from "zod";
import { loggedServer } from "./logged-server.ts";

const server = loggedServer("research");

server.tool("search", { query: z.string() }, ({ query }: { query: string }) => ({ text: `3 results for ${query}` }));
server.tool("fetch_page", { url: z.string() }, ({ url }: { url: string }) =>
  url.endsWith("/gone") ? { text: "404: no such page.", isError: true } : { text: `The text of ${url}` },
);

await server.serve();
