/** A receiver as a user would have it: a real HTTP server that checks each post and answers as the test says. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { verifyWebhook, type WebhookEvent } from "../../adapters/webhook/index.ts";

export const SECRET = "0123456789abcdef0123456789abcdef";

export interface Post {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: WebhookEvent;
}

export interface Receiver {
  readonly url: string;
  readonly posts: Post[];
  /** The answers to come, the last one repeats; `hang` never answers. */
  answers: (number | "hang")[];
  /** Resolves when so many posts came. */
  got(count: number): Promise<Post[]>;
}

export async function receiver(answers: Receiver["answers"] = [204]): Promise<Receiver> {
  const self: Receiver = { url: "", posts: [], answers, got };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const checked = verifyWebhook({ secret: SECRET, headers: request.headers, body });
    if (!checked.ok) return response.writeHead(400).end(checked.because);
    self.posts.push({ headers: request.headers, body, event: checked.event });
    const answer = self.answers.length > 1 ? self.answers.shift() : self.answers[0];
    if (answer === "hang" || answer === undefined) return undefined;
    const elsewhere = answer >= 300 && answer < 400 ? { location: `${self.url}/elsewhere` } : {};
    return response.writeHead(answer, elsewhere).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  async function got(count: number): Promise<Post[]> {
    await expect.poll(() => self.posts.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(count);
    return self.posts;
  }
  return Object.assign(self, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` });
}
