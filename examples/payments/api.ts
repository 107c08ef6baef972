/**
 * A payment API of our own. What it promises of repeats stands in README.md, and is what the contract of run.ts says.
 * Charges and what was asked are kept as lists: they are the judges of the example.
 */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const WINDOW = 24 * 60 * 60 * 1000;

interface Charge {
  readonly customer: string;
  readonly amount: number;
  readonly currency: string;
}
interface Answer {
  readonly status: number;
  readonly body: object;
}
interface Known {
  readonly parameters: string;
  readonly since: number;
  /** Undefined while the first request is under way. */
  answer?: Answer;
}
export interface Asked {
  readonly key: string | undefined;
  readonly status: number;
  readonly replayed: boolean;
}

const problem = (status: number, type: string, message: string): Answer => ({
  status,
  body: { error: { type, message } },
});

export async function paymentApi() {
  const charges: (Charge & { readonly id: string })[] = [];
  const asked: Asked[] = [];
  const keys = new Map<string, Known>();
  const pace = { work: 0 };

  async function charge(wanted: Charge): Promise<Answer> {
    const id = `ch_${charges.length + 1}`;
    charges.push({ id, ...wanted });
    await sleep(pace.work);
    return { status: 200, body: { id, ...wanted } };
  }

  async function post(key: string | undefined, text: string): Promise<{ answer: Answer; replayed: boolean }> {
    const wanted = JSON.parse(text) as Charge;
    if (!(wanted.amount > 0)) return first(problem(400, "invalid_request", "The amount must be above 0."));
    if (key === undefined) return first(await charge(wanted));
    const parameters = createHash("sha256").update(text).digest("hex");
    const known = keys.get(key);
    if (known && Date.now() - known.since < WINDOW)
      return { answer: repeat(known, parameters), replayed: !!known.answer };
    const entry: Known = { parameters, since: Date.now() };
    keys.set(key, entry);
    entry.answer = await charge(wanted);
    return first(entry.answer);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const key = request.headers["idempotency-key"]?.toString();
    const { answer, replayed } = await post(key, text);
    asked.push({ key, status: answer.status, replayed });
    response.writeHead(answer.status, { "content-type": "application/json", "idempotent-replayed": String(replayed) });
    response.end(JSON.stringify(answer.body));
  }

  const server = createServer((request, response) => void handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/charges`;
  return { url, charges, asked, pace, close: () => server.close() };
}

const first = (answer: Answer) => ({ answer, replayed: false });

/** The key is known. */
function repeat({ parameters, answer }: Known, now: string): Answer {
  if (parameters !== now)
    return problem(400, "idempotency_error", `Key ${randomUUID().slice(0, 4)}…: it was used with other parameters.`);
  return answer ?? problem(409, "idempotency_key_in_use", "The first request with this key is under way.");
}
