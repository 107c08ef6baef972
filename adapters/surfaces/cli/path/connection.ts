/** The way to an echo server. Whoever is not one gets the first messages of any client, and nothing else. */
import { setTimeout as sleep } from "node:timers/promises";
import { IndoubtError } from "../../../../src/index.ts";
import { isObject } from "../../../mcp/relay/index.ts";
import { type Asked, type Echo, echoOf, TOOL } from "./echo.ts";
import { type Seen, seenWords } from "./post.ts";
import { openSession, PATIENCE, type RequestOptions, resultIn, type Session } from "./session.ts";

export interface EchoConnection {
  /** Sends a call, once. */
  call(asked: Asked, options: RequestOptions): Promise<Called>;
  /** Waits until calls come through: a path may leave out a server that has just failed. */
  ready(): Promise<void>;
  /** For each mark: when it arrived, in ms after its first arrival. */
  count(marks: readonly string[]): Promise<Readonly<Record<string, readonly number[]>>>;
}

export interface Called {
  readonly seen: Seen;
  readonly echo: Echo | undefined;
}

/** How long a path may take back a server that failed, and the pause before each look. In ms. */
const BACK_WITHIN = 90_000;
const PAUSE = 500;
/** So many, that each address behind the path gets one: a path trusts one that failed again after a call that went well. */
const PROBES = 6;
const MOST_PAGES = 100;

/** @throws IndoubtError CONFIG_INVALID when there is no echo server at the address, or more than one */
export async function connectEcho(address: string, headers: Readonly<Record<string, string>>): Promise<EchoConnection> {
  const url = new URL(address);
  const place = `${url.origin}${url.pathname}`;
  const session = await openSession(url, headers);
  if (!resultIn(session.opened)) throw noEcho(place, `What came of initialize: ${seenWords(session.opened)}.`);
  const tool = await findTool(session);
  if (tool === undefined) throw noEcho(place, `It has no tool ${TOOL}.`);

  const call: EchoConnection["call"] = async (asked, options) => {
    const params = { name: tool, arguments: asked, _meta: { progressToken: "path" } };
    const seen = await session.request("tools/call", params, options);
    return { seen, echo: echoOf(resultIn(seen)) };
  };
  const first = await call({}, { patience: PATIENCE });
  const { instance } = first.echo ?? {};
  if (instance === undefined) throw noEcho(place, `Its tool ${tool} answers like no echo server.`);

  async function insist(asked: Asked): Promise<Echo> {
    for (const end = Date.now() + BACK_WITHIN; ; await sleep(PAUSE)) {
      const { echo } = await call(asked, { patience: PATIENCE });
      if (echo && echo.instance !== instance) throw severalEchoes(place);
      if (echo) return echo;
      if (Date.now() > end) throw new Error(`The path to ${place} no longer leads to the echo server.`);
    }
  }

  return {
    call,
    async ready() {
      for (let probe = 0; probe < PROBES; probe += 1) await insist({});
    },
    count: async (marks) => (await insist({ count: [...marks] })).arrivals ?? {},
  };
}

/** Behind a gateway the tool may stand among others, under a longer name. */
async function findTool({ request }: Session): Promise<string | undefined> {
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const result = resultIn(await request("tools/list", typeof cursor === "string" ? { cursor } : {}));
    const tools = Array.isArray(result?.tools) ? result.tools : [];
    const names = tools.flatMap((tool) => (isObject(tool) && typeof tool.name === "string" ? [tool.name] : []));
    const found = names.find((name) => name.endsWith(TOOL));
    cursor = result?.nextCursor;
    if (found !== undefined || typeof cursor !== "string") return found;
  }
  return undefined;
}

const noEcho = (place: string, why: string): IndoubtError =>
  new IndoubtError(
    "CONFIG_INVALID",
    `There is no echo server at ${place}, so nothing was tried there. ${why} Start \`indoubt path serve\` where the real server stands, and lead the path to it.`,
  );

const severalEchoes = (place: string): IndoubtError =>
  new IndoubtError(
    "CONFIG_INVALID",
    `More than one echo server answered at ${place}, or it was started anew: each counts its own arrivals only. Lead all addresses of the path to one.`,
  );
