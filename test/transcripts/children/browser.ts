/** A browser with one tab: `open` shows the first page of a list, `next` turns to the page after it. */
import { z } from "zod";
import { loggedServer } from "./logged-server.ts";

const server = loggedServer("browser");
let page = 0;

server.tool("open", { url: z.string() }, ({ url }: { url: string }) => {
  page = 1;
  return { text: `${url}, page 1`, effect: "page 1" };
});
server.tool("next", {}, () => {
  page += 1;
  return { text: `page ${page}`, effect: `page ${page}` };
});

await server.serve();
