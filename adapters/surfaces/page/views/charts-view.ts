/** How much doubt there is, how old it grows, and what each tool's silences turned out to be. Drawn here, as SVG with a table beside it. */
import type { QueueStats, ToolStats } from "../../../../src/entries/queue.ts";
import { line, name } from "../fence.ts";
import { each, type Html, html, nothing } from "../html.ts";
import { clock, count, duration } from "../words.ts";
import { type Bar, bars } from "./bars.ts";
import { empty } from "./parts.ts";

export interface ChartFacts {
  readonly stats: QueueStats;
  readonly doubt: { readonly bars: readonly Bar[]; readonly step: string; readonly truncated: boolean };
  readonly ages: { readonly bars: readonly Bar[]; readonly truncated: boolean };
}

export const chartsBody = ({ stats, doubt, ages }: ChartFacts): Html => html`<div class="page-head"><div><h1>Charts</h1>
<p class="lead">As of ${clock(stats.at)} UTC, by the store's clock.</p></div></div>
${tiles(stats)}
<section class="card chart"><h2>Doubt over time</h2><p class="muted">Operations that went into doubt, and doubts that ended, per ${doubt.step}.${doubt.truncated ? " Only the newest events are drawn." : ""}</p>
${bars({ id: "doubt", title: `Doubts per ${doubt.step}`, series: ["went into doubt", "ended"], bars: doubt.bars })}</section>
<section class="card chart"><h2>How old what waits is</h2><p class="muted">Items that wait for a person, by their age.${ages.truncated ? " Only the oldest 1,000 are counted." : ""}</p>
${bars({ id: "ages", title: "Waiting items by age", series: ["items"], bars: ages.bars })}</section>
<section class="card chart"><h2>What silences turned out to be</h2><p class="muted">Per tool. It tells which deadline or server to fix.</p>
${stats.tools.length === 0 ? empty("No silence yet", html`No operation of any tool went into doubt.`) : tools(stats.tools)}</section>`;

const tiles = ({ attention, open, byState, oldestUnresolvedMs, truncated }: QueueStats): Html => html`<dl class="tiles">
${tile("Wait for a person", attention, truncated)}${tile("In doubt", byState.uncertain ?? 0, truncated)}${tile("Under way or settled", open, truncated)}
<div><dt>Oldest waits</dt><dd>${oldestUnresolvedMs === undefined ? "–" : duration(oldestUnresolvedMs)}</dd></div></dl>`;

const tile = (title: string, amount: number, truncated: boolean): Html =>
  html`<div><dt>${title}</dt><dd>${amount.toLocaleString("en")}${truncated ? "+" : ""}</dd></div>`;

const tools = (
  all: readonly ToolStats[],
): Html => html`<div class="scroll" tabindex="0" role="region" aria-label="Silences per tool"><table class="tools">
<thead><tr><th scope="col">Tool</th><th scope="col" class="share-cell">Silences</th><th scope="col">Had landed</th><th scope="col">Had not</th><th scope="col">Sent again</th><th scope="col">Not known</th><th scope="col">Median landing</th></tr></thead>
<tbody>${each(
  [...all].sort((a, b) => b.doubts - a.doubts),
  toolRow,
)}</tbody></table></div>`;

const toolRow = (
  tool: ToolStats,
): Html => html`<tr><th scope="row">${name(tool.tool)}<br><span class="muted">on ${name(tool.server)}</span></th>
<td class="share-cell">${share(tool)}<span class="sentence">${sentence(tool)}</span></td>
<td>${tool.landed}</td><td>${tool.notLanded}</td><td>${tool.resent}</td><td>${tool.undecided}</td><td>${tool.medianLandingMs === undefined ? "–" : duration(tool.medianLandingMs)}</td></tr>`;

function sentence({ doubts, landed, notLanded, resent, undecided, medianLandingMs }: ToolStats): string {
  if (doubts === 0) return "No silence on record.";
  const parts = [
    ...(landed > 0
      ? [
          `${landed} had landed${medianLandingMs === undefined ? "" : `, after ${duration(medianLandingMs)} at the median`}`,
        ]
      : []),
    ...(notLanded > 0 ? [`${notLanded} had not`] : []),
    ...(resent > 0 ? [`${resent} ${resent === 1 ? "was" : "were"} settled by sending again`] : []),
    ...(undecided > 0 ? [`${undecided} ${undecided === 1 ? "is" : "are"} not known`] : []),
  ];
  return `Of ${count(doubts, "silence")}: ${parts.join("; ")}.`;
}

function share(tool: ToolStats): Html {
  const { doubts, landed, notLanded, resent, undecided } = tool;
  const total = Math.max(1, doubts, landed + notLanded + resent + undecided);
  let x = 0;
  const part = (amount: number, kind: string): Html => {
    const width = (amount / total) * 100;
    const rect =
      width > 0
        ? html`<rect class="share-${kind}" x="${x.toFixed(2)}" y="0" width="${width.toFixed(2)}" height="8"/>`
        : nothing;
    x += width;
    return rect;
  };
  return html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${`${line(tool.tool)}: ${sentence(tool)}`}">${part(landed, "landed")}${part(notLanded, "absent")}${part(resent, "resent")}${part(undecided, "unknown")}</svg>`;
}
