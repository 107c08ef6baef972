/** What both ends of a path test know: the one tool of the echo server, what it is asked, and what it says. */
import { z } from "zod";

/** Nothing but an echo server has it; a gateway may put its own prefix before it. */
export const TOOL = "indoubt_path_echo";

const mark = z.string().regex(/^[\w-]{1,64}$/);
const HOUR = 3_600_000;

/**
 * What is done instead of a plain answer, after the call was read and counted.
 * - `reset`: the connection is reset; `close`: it is closed in order; `cut`: half of the answer, then it is closed
 * - `status`: this HTTP status; `wait`: the answer comes after `for_ms`, with progress every `every_ms` if that is given
 */
export const askedSchema = z.object({
  mark: mark.optional(),
  fault: z.enum(["reset", "close", "cut", "status", "wait"]).optional(),
  status: z.int().min(400).max(599).optional(),
  for_ms: z.int().min(1).max(HOUR).optional(),
  every_ms: z.int().min(50).max(HOUR).optional(),
  /** The marks whose arrivals are asked for. */
  count: z.array(mark).max(100).optional(),
});
export type Asked = z.infer<typeof askedSchema>;

const echoSchema = z.object({
  echo: z.literal("indoubt"),
  /** Another one after a restart, and for each process. */
  instance: z.string(),
  mark: mark.optional(),
  /** For each mark that was asked for: when it arrived, in ms after its first arrival. */
  arrivals: z.record(mark, z.array(z.number())).optional(),
});
export type Echo = z.infer<typeof echoSchema>;

export const echoResult = (echo: Echo) => ({
  content: [{ type: "text", text: JSON.stringify(echo) }],
  structuredContent: echo,
});

const resultSchema = z.object({
  structuredContent: z.unknown(),
  content: z.array(z.object({ text: z.string().optional() })),
});

/** Undefined for what is no answer of an echo server. A gateway may drop the structured one of the two. */
export function echoOf(result: unknown): Echo | undefined {
  const { data } = resultSchema.safeParse(result);
  return (
    echoSchema.safeParse(data?.structuredContent).data ?? echoSchema.safeParse(parsed(data?.content[0]?.text)).data
  );
}

/** Undefined for what is no JSON. */
export function parsed(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
