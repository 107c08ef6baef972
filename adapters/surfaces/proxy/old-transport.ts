/** The older HTTP+SSE transport: what is posted in one place is answered in another, where no call can be followed. */
import { isEventStream } from "../../mcp/relay/index.ts";

export const OLD_TRANSPORT =
  "speaks the older HTTP+SSE transport, which the proxy does not serve: no call goes through. Give its Streamable HTTP address as --url; often that ends in /mcp.";

/** Told to the operator; the host sees its stream end. */
export class OldTransport extends Error {}

/** Its stream begins with this event. */
export const beginsOldTransport = (chunk: Uint8Array): boolean =>
  /^(?:\uFEFF|:[^\r\n]*|[\r\n])*event: ?endpoint[\r\n]/.test(Buffer.from(chunk).toString("utf8"));

/** Time for the first event, in ms. */
const PATIENCE = 2_000;

/** @param listen asks the server for a stream */
export async function isOldTransport(listen: () => Promise<Response>): Promise<boolean> {
  const response = await listen().catch(() => undefined);
  const reader = response?.body?.getReader();
  if (!response || !reader) return false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE);
  });
  const first = isEventStream(response) ? await Promise.race([reader.read().catch(() => undefined), late]) : undefined;
  clearTimeout(timer);
  await reader.cancel().catch(() => {});
  return first?.value !== undefined && beginsOldTransport(first.value);
}
