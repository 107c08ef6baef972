/** One operation, for a person who has to decide. What a stranger wrote is fenced; what we say is not. */
import type { AllowedVerdict, AuditLine, QueueDetail, TimelineEntry } from "../../../src/entries/queue.ts";
import { commandName } from "./cli.ts";
import type { Screen } from "./screen.ts";
import { duration, fenced, fencedJson, instant, quoted, visible, wrapped } from "./text.ts";

export async function printDetail(screen: Screen, detail: QueueDetail, url: string | undefined): Promise<void> {
  const section = (title: string, lines: readonly string[]) => {
    if (lines.length === 0) return;
    screen.print();
    screen.print(screen.paint.bold(title));
    for (const line of lines) screen.print(line);
  };
  head(screen, detail, url);
  const bullets = (lines: readonly string[]) => lines.flatMap((line) => wrapped(line, screen.measure, "  - ", "    "));
  section("Known", bullets(detail.known));
  section("Not known", bullets(detail.unknown));
  section("Risk", bullets(detail.risk));
  section("Arguments, redacted (a caller or model wrote them: data, not instructions)", args(detail));
  section("Timeline, UTC by the store's clock", timeline(screen, detail));
  section(...answer(detail));
  section("Decisions on record", decisions(detail.audit));
  section(
    "What may be decided",
    detail.allowed.flatMap((verdict) => allowed(verdict, screen.measure)),
  );
  section("Next", [...wrapped(detail.next, screen.measure, "  "), ...commands(detail)]);
}

function head(screen: Screen, detail: QueueDetail, url: string | undefined): void {
  const { id, server, tool, state, version, conflict, reason, ageMs, attempts, open } = detail;
  screen.print(screen.paint.bold(`${visible(server)}.${visible(tool)}`));
  const row = (name: string, value: string | undefined) => {
    if (value !== undefined) screen.print(`  ${screen.paint.dim(name.padEnd(10))} ${value}`);
  };
  row("id", id);
  row("state", `${state}, version ${version}${conflict ? screen.paint.red(" CONFLICT") : ""}`);
  row("reason", visible(reason));
  row("issued", `${instant(detail.issuedAt)}, ${duration(ageMs)} ago`);
  row("sent", `${attempts === 1 ? "once" : `${attempts} times`}; ${open} of unknown effect`);
  row("landing", detail.quiesceAt === undefined ? undefined : quiet(detail.quiesceAt, detail.now));
  row("key", detail.key);
  row("reference", detail.ref && quoted(detail.ref));
  row("principal", detail.principal);
  row("contract", contract(detail));
  row("definition", detail.definition && `${visible(detail.definition)}: the tool as it was listed at the first send`);
  row("hook", hook(detail));
  row("link", url && visible(url));
}

const quiet = (at: number, now: number): string =>
  at > now
    ? `${instant(at)}, in ${duration(at - now)}: until then a lost write can still land`
    : `over since ${instant(at)}: a lost write can no longer land`;

const contract = ({ contract: found }: QueueDetail): string =>
  found
    ? `${found.status}: ${visible(found.words)}${found.suspended ? ` (${quoted(found.suspended)})` : ""}`
    : "none in this configuration: nothing is sent again by itself";

function hook({ hook: found }: QueueDetail): string {
  if (!found.configured) return "none in this configuration";
  const said = found.lastSaid === undefined ? "" : `; it said last ${quoted(found.lastSaid)}`;
  return `asked ${found.probes} times, ${found.absent} absences in a row that count${said}`;
}

const args = ({ arguments: kept }: QueueDetail): string[] =>
  Object.keys(kept).length === 0 ? ["  There were none, or they are no longer kept."] : fencedJson(kept);

function timeline({ paint, measure }: Screen, { timeline: entries, issuedAt }: QueueDetail): string[] {
  return entries.flatMap((entry) => {
    const { at, kind, by, planned } = entry;
    const first = `  ${moment(at, issuedAt)} ${offset(at - issuedAt).padStart(8)}  ${LABELS[kind].padEnd(11)} `;
    const said = `${entry.words}${by === "indoubt" ? "" : ` [${by}]`}${planned ? " (ahead)" : ""}`;
    const lines = wrapped(said, measure, first, " ".repeat(first.length));
    return [...(planned ? lines.map(paint.dim) : lines), ...words(entry, first.length)];
  });
}

const LABELS = {
  issued: "issued",
  sent: "sent",
  deadline: "deadline",
  answer: "answer",
  late_answer: "late answer",
  observation: "observation",
  quiescence: "quiescence",
  verdict: "verdict",
  other: "",
} as const satisfies Record<TimelineEntry["kind"], string>;

/** The day only where it is another one than that of the issue. */
function moment(at: number, issuedAt: number): string {
  const text = instant(at);
  return text.slice(0, 10) === instant(issuedAt).slice(0, 10) ? text.slice(11, 23) : text.slice(0, 16);
}

const offset = (ms: number): string => (ms < 10_000 ? `+${(ms / 1000).toFixed(1)} s` : `+${duration(ms)}`);
const words = ({ text }: TimelineEntry, indent: number): string[] =>
  text === undefined ? [] : fenced(text, " ".repeat(indent));

function answer({ answer: kept }: QueueDetail): [string, string[]] {
  if (!kept) return ["", []];
  const who = {
    server: "The server's answer, as kept (its words: data, not instructions)",
    destination: "What was found at the destination (its words: data, not instructions)",
    operator: "What an operator wrote down as evidence: it is NOT the tool's own answer",
  }[kept.by];
  return [who, fencedJson(kept.value)];
}

const decisions = (audit: readonly AuditLine[]): string[] =>
  audit
    .filter(({ actor }) => actor !== undefined)
    .flatMap(({ at, row, from, to, actor = "", reason = "", ref, override }) => [
      `  ${instant(at)}  ${from ?? ""} -> ${to ?? ""} (${row}${override ? ", OVERRIDE" : ""}) by ${quoted(actor)}`,
      ...fenced(String(reason), "    "),
      ...(ref === undefined ? [] : [`    reference ${quoted(String(ref))}`]),
    ]);

const allowed = ({ verdict, now, why }: AllowedVerdict, width: number): string[] =>
  wrapped(
    `${now ? "now" : "not now"}${why === undefined ? "" : `: ${why}`}`,
    width,
    `  ${verdict.padEnd(12)} `,
    " ".repeat(15),
  );

/** Ready to be copied: with the version that was looked at. */
function commands({ id, version, allowed: verdicts }: QueueDetail): string[] {
  const possible = verdicts.filter(({ now }) => now).map(({ verdict }) => verdict);
  if (possible.length === 0) return [];
  return [
    "",
    ...possible.map((verdict) => {
      const ref = verdict === "applied" ? ' --ref "…"' : "";
      return `  ${commandName()} queue resolve ${id} ${verdict} --version ${version} --reason "…"${ref}`;
    }),
  ];
}
