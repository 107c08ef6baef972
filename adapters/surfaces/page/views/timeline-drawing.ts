/** The life of one operation as a drawing: a lane for each who acted, the settle window as a band, now as a line. */
import type { QueueDetail, TimelineEntry, TimelineKind } from "../../../../src/entries/queue.ts";
import { each, type Html, html, nothing } from "../html.ts";
import { clock, count, duration } from "../words.ts";
import { type Placed, placed } from "./timeline-scale.ts";

const WIDTH = 760;
const LEFT = 96;
const RIGHT = 28;
const TOP = 26;
const LANE = 34;
const MOST = 40;

const LANES = ["indoubt", "server", "destination", "operator"] as const;

interface Mark {
  readonly at: number;
  readonly entry: TimelineEntry | undefined;
}

export function timelineDrawing(detail: QueueDetail): Html {
  const marks = marksOf(detail);
  const spots = placed(marks, WIDTH - LEFT - RIGHT).map(({ item, x }) => ({ item, x: x + LEFT }));
  const lanes = LANES.filter((lane) => lane === "indoubt" || marks.some(({ entry }) => entry?.by === lane));
  const bottom = TOP + lanes.length * LANE;
  const height = bottom + 26;
  return html`<svg class="drawing" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="drawing-title drawing-words">
<title id="drawing-title">Timeline of the operation</title><desc id="drawing-words">${summary(detail)}</desc>
${band(spots, bottom)}
${each(lanes, (lane, index) => laneLine(lane, TOP + index * LANE + LANE / 2))}
${each(spots, (spot, index) => gap(spots[index - 1], spot, bottom + 18))}
${each(spots, ({ item, x }) => (item.entry ? shape(item.entry, x, TOP + lanes.indexOf(item.entry.by) * LANE + LANE / 2) : nowLine(x, bottom)))}
</svg>`;
}

/** The first and the last moments where there are too many for one drawing. */
function marksOf({ timeline, now }: QueueDetail): Mark[] {
  const kept = timeline.length > MOST ? [...timeline.slice(0, MOST / 4), ...timeline.slice((-MOST * 3) / 4)] : timeline;
  const past = kept.filter(({ planned }) => !planned);
  const ahead = kept.filter(({ planned }) => planned);
  return [...past.map(markOf), { at: now, entry: undefined }, ...ahead.map(markOf)];
}

const markOf = (entry: TimelineEntry): Mark => ({ at: entry.at, entry });

function summary({ timeline, issuedAt, now }: QueueDetail): string {
  const said = timeline.map(
    ({ at, words, planned }) => `${planned ? "ahead, " : ""}${duration(at - issuedAt)}: ${words}`,
  );
  return `${count(timeline.length, "moment")} from ${clock(issuedAt)} to now, ${duration(now - issuedAt)} later. ${said.join(" ")}`;
}

const laneLine = (lane: string, y: number): Html =>
  html`<text class="lane-word" x="0" y="${y + 4}">${lane}</text><line class="lane" x1="${LEFT - 10}" x2="${WIDTH}" y1="${y}" y2="${y}"/>`;

/** From the last send to quiescence: as long as a lost write can still land. */
function band(spots: readonly Placed<Mark>[], bottom: number): Html {
  const quiet = spots.findLast(({ item }) => item.entry?.kind === "quiescence");
  const sent = spots.findLast(({ item }) => item.entry?.kind === "sent" && item.at <= (quiet?.item.at ?? 0));
  if (!quiet || !sent) return nothing;
  const width = Math.max(0, quiet.x - sent.x);
  const word =
    width > 130
      ? html`<text class="band-word" x="${sent.x + 6}" y="${TOP - 12}">a lost write can still land</text>`
      : nothing;
  return html`<rect class="band" x="${sent.x}" y="${TOP - 6}" width="${width}" height="${bottom - TOP + 6}" rx="5"/>${word}`;
}

function gap(from: Placed<Mark> | undefined, to: Placed<Mark>, y: number): Html {
  if (!from || to.x - from.x < 54) return nothing;
  return html`<text class="gap" x="${(from.x + to.x) / 2}" y="${y}" text-anchor="middle">${duration(to.item.at - from.item.at)}</text>`;
}

const nowLine = (x: number, bottom: number): Html =>
  html`<line class="now" x1="${x}" x2="${x}" y1="${TOP - 6}" y2="${bottom}"/><text class="now-word" x="${x}" y="${TOP - 12}" text-anchor="${x > WIDTH - 60 ? "end" : "middle"}">now</text>`;

/** Shapes around 0,0: what happened can be told without colour. */
const SHAPES: Readonly<Record<TimelineKind, Html>> = {
  issued: html`<circle r="4"/>`,
  sent: html`<path d="M-6-7 8 0-6 7z"/>`,
  deadline: html`<path d="M-5-5 5 5M5-5-5 5" class="stroke"/>`,
  answer: html`<circle r="6.5"/>`,
  late_answer: html`<path d="M0-8 8 0 0 8-8 0z"/>`,
  observation: html`<circle r="6" class="ring"/><circle r="2"/>`,
  quiescence: html`<path d="M0-9V9" class="stroke"/>`,
  verdict: html`<path d="M-7 0-2 5 7-5" class="stroke bold"/>`,
  other: html`<circle r="3"/>`,
};

const shape = ({ kind, by, words, planned }: TimelineEntry, x: number, y: number): Html =>
  html`<g class="mark-${kind} by-${by} ${planned ? "is-planned" : ""}" transform="translate(${x.toFixed(1)} ${y})"><title>${words}</title>${SHAPES[kind]}</g>`;
