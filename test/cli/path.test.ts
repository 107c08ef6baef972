/** T5-01: whether a path sends calls again is found out by a test of it; the judge is what a path of ours did. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startFaultServer } from "../../adapters/testing/index.ts";
import { errorOf, jsonOf, newFolder, type Ran, run, startForTest } from "./support/command.ts";
import { startPath } from "./support/path.ts";

vi.setConfig({ testTimeout: 120_000 });

interface Trial {
  readonly trial: string;
  readonly verdict: string;
  readonly arrivals: number;
  readonly progress: number;
  readonly words: string;
}
interface Report {
  readonly verdict: string;
  readonly trials: readonly Trial[];
  readonly meaning: readonly string[];
}

async function echoServer(): Promise<string> {
  const serving = await startForTest(["path", "serve", "--port", "0", "--json"], { cwd: newFolder() });
  await serving.heard(/\n/);
  return (JSON.parse(serving.stdout()) as { url: string }).url;
}

const QUICKLY = ["--slow", "0s", "--rest", "0s", "--settle", "0s"];

const testPath = (url: string, ...more: string[]): Promise<Ran> =>
  run(["path", "test", "--url", url, ...(more.length === 0 ? QUICKLY : more), "--json"], { cwd: newFolder() });

const verdicts = (ran: Ran) =>
  Object.fromEntries(jsonOf<Report>(ran).trials.map(({ trial, verdict }) => [trial, verdict]));
const words = (ran: Ran, name: string) =>
  jsonOf<Report>(ran).trials.find(({ trial }) => trial === name)?.words ?? "no such trial";
const meaning = (ran: Ran) => jsonOf<Report>(ran).meaning.join("\n");

/** mark -> how often a client sent it. */
function marksIn(bodies: readonly string[]): Map<string, number> {
  const marks = new Map<string, number>();
  for (const body of bodies) {
    const mark = /"mark":"([^"]+)"/.exec(body)?.[1];
    if (mark !== undefined) marks.set(mark, (marks.get(mark) ?? 0) + 1);
  }
  return marks;
}

test("T5-01 a path that sends a POST again when the connection behind it breaks: it repeats, exit code 8", async () => {
  const path = await startPath({ repeats: 2, targets: [await echoServer()] });
  const ran = await testPath(path.url);

  expect([ran.code, jsonOf(ran).verdict]).toEqual([8, "repeats"]);
  expect(verdicts(ran)).toEqual({
    answered: "once",
    connection_reset: "repeats",
    connection_closed: "repeats",
    answer_cut: "once",
    status_502: "repeats",
    status_503: "repeats",
    status_504: "repeats",
  });
  expect(words(ran, "connection_reset")).toMatch(/^THE PATH REPEATS: 3 arrivals within .*, then HTTP 502$/);
  expect(meaning(ran)).toContain("one send of the guard can have 3 effects");
  expect([...marksIn(path.posted).values()]).toEqual([1, 1, 1, 1, 1, 1, 1]);
});

test("T5-01 a path that delivers once: each call was sent once and arrived once, exit code 0", async () => {
  const path = await startPath({ targets: [await echoServer()] });
  const ran = await testPath(path.url);

  expect([ran.code, jsonOf(ran).verdict]).toEqual([0, "once"]);
  expect(jsonOf<Report>(ran).trials.map(({ arrivals }) => arrivals)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect([...marksIn(path.posted).values()]).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect(words(ran, "status_503")).toBe("delivered once: HTTP 503");
});

test("T5-01 W1-02 a path with an idle limit cuts a silent call, and a long call with progress survives", async () => {
  const path = await startPath({ idle: 3_000, targets: [await echoServer()] });
  const ran = await testPath(path.url, "--slow", "6s", "--every", "300ms", "--rest", "0s", "--settle", "0s");

  expect([ran.code, jsonOf(ran).verdict]).toEqual([0, "once"]);
  expect(verdicts(ran)).toMatchObject({ slow_silent: "cut", slow_progress: "once" });
  expect(words(ran, "slow_silent")).toMatch(/^delivered once, CUT after \d\.\d s: HTTP 504$/);
  expect(meaning(ran)).toContain("Progress keeps it alive");
});

test("T5-01 a slow call that the path gives up and sends again is a repeat, too", async () => {
  const path = await startPath({ idle: 2_000, repeats: 1, targets: [await echoServer()] });
  const ran = await testPath(path.url, "--slow", "6s", "--every", "300ms", "--rest", "0s", "--settle", "0s");

  expect(ran.code).toBe(8);
  expect(verdicts(ran)).toMatchObject({ slow_silent: "repeats", slow_progress: "once" });
  expect(words(ran, "slow_silent")).toMatch(/2 arrivals within \d\.\d s, then HTTP 504$/);
});

test("T5-01 a path that answers by itself shows nothing: exit code 1", async () => {
  const path = await startPath({ refuses: '"fault":"reset"', targets: [await echoServer()] });
  const ran = await testPath(path.url);

  expect([ran.code, jsonOf(ran).verdict]).toEqual([1, "inconclusive"]);
  expect(words(ran, "connection_reset")).toBe("did not arrive: HTTP 502");
  expect(meaning(ran)).toContain("connection_reset");
});

test("T5-01 a server that is no echo server is called by nobody: exit code 3", async () => {
  const server = await startFaultServer();
  onTestFinished(() => server.close());
  const path = await startPath({ targets: [server.url] });
  const ran = await testPath(path.url);

  expect(ran.code).toBe(3);
  expect(errorOf(ran).message).toContain("There is no echo server");
  const methods = path.posted.map((body) => (JSON.parse(body) as { method: string }).method);
  expect(methods).toEqual(["initialize", "notifications/initialized", "tools/list"]);
  expect(server.log.arrivals()).toEqual([]);
});

test("two echo servers behind one path cannot count for each other: exit code 3", async () => {
  const path = await startPath({ targets: [await echoServer(), await echoServer()] });
  const ran = await testPath(path.url);
  expect(ran.code).toBe(3);
  expect(errorOf(ran).message).toContain("More than one echo server");
});

test("the echo server tells a load balancer that it lives, and ends with 0 on SIGTERM", async () => {
  const serving = await startForTest(["path", "serve", "--port", "0", "--json"], { cwd: newFolder() });
  await serving.heard(/\n/);
  const { url } = JSON.parse(serving.stdout()) as { url: string };
  expect((await fetch(new URL("/health", url))).status).toBe(200);
  serving.child.kill("SIGTERM");
  expect(await serving.ended).toMatchObject({ code: 0, stderr: "" });
});

test.each([
  [["path", "test"], /--url/],
  [["path", "test", "--url", "ftp://x.example"], /--url is "ftp/],
  [["path", "test", "--url", "http://x.example", "--header", "secret"], /--header is not a header/],
  [["path", "test", "--url", "http://x.example", "--slow", "5"], /--slow is "5"/],
  [["path", "serve"], /--port/],
])("%j is refused with exit code 2", async (args, message) => {
  const ran = await run([...args, "--json"], { cwd: newFolder() });
  expect(ran.code).toBe(2);
  expect(errorOf(ran).message).toMatch(message);
});

test("the doctor names the test where a server is reached over HTTP", async () => {
  const cwd = newFolder();
  const says = async (server: object) => {
    writeFileSync(join(cwd, "indoubt.config.json"), JSON.stringify({ servers: { billing: server } }));
    return jsonOf<{ not_promised: string[] }>(await run(["doctor", "--json"], { cwd })).not_promised.join("\n");
  };
  expect(await says({ url: "https://billing.acme.example/mcp" })).toContain("indoubt path test");
  expect(await says({ command: "node" })).not.toContain("indoubt path test");
});
