/** A bar chart as SVG, and the same numbers as a table for whoever does not look at it. */
import { each, type Html, html, nothing } from "../html.ts";

export interface Bar {
  readonly label: string;
  /** One number per series. */
  readonly values: readonly number[];
}

export interface BarChart {
  readonly id: string;
  readonly title: string;
  readonly series: readonly string[];
  readonly bars: readonly Bar[];
}

const WIDTH = 760;
const HEIGHT = 190;
const LEFT = 40;
const BOTTOM = 24;
const TOP = 10;

export function bars(chart: BarChart): Html {
  const { id, title, series } = chart;
  if (chart.bars.every(({ values }) => values.every((value) => value === 0)))
    return html`<p class="none">Nothing to draw yet.</p>`;
  return html`${series.length > 1 ? legend(series) : nothing}<div class="scroll" tabindex="0" role="region" aria-label="${title}"><svg class="bars" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title ${id}-words">
<title id="${id}-title">${title}</title><desc id="${id}-words">${words(chart)}</desc>${drawing(chart)}</svg></div>
<details class="numbers"><summary>As a table</summary>${table(chart)}</details>`;
}

function drawing({ bars: all, series }: BarChart): Html {
  const top = niceTop(Math.max(...all.flatMap(({ values }) => values)));
  const slot = (WIDTH - LEFT) / all.length;
  const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const width = Math.min(34, (slot * 0.72) / series.length);
  const every = Math.ceil(all.length / 9);
  const bar = (value: number, index: number, nth: number): Html => {
    const x = LEFT + slot * index + slot / 2 + (nth - series.length / 2) * width;
    const height = Math.max(value > 0 ? 2 : 0, y(0) - y(value));
    return html`<rect class="series-${nth}" x="${x.toFixed(1)}" y="${(y(0) - height).toFixed(1)}" width="${(width - 1).toFixed(1)}" height="${height.toFixed(1)}" rx="2"/>`;
  };
  return html`${each([0, top / 2, top], (value) =>
    Number.isInteger(value)
      ? html`<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${y(value)}" y2="${y(value)}"/><text class="tick" x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${value.toLocaleString("en")}</text>`
      : nothing,
  )}${each(
    all,
    ({ values, label }, index) =>
      html`${values.map((value, nth) => bar(value, index, nth))}${
        index % every === 0
          ? html`<text class="tick" x="${(LEFT + slot * index + slot / 2).toFixed(1)}" y="${HEIGHT - 6}" text-anchor="middle">${label}</text>`
          : nothing
      }`,
  )}`;
}

/** The next of 2, 4, 10, 20, 40, 100, …: its half is a whole number, too. */
function niceTop(most: number): number {
  for (let size = 1; ; size *= 10) {
    for (const step of [2, 4, 6, 10]) if (step * size >= most) return step * size;
  }
}

const legend = (series: readonly string[]): Html =>
  html`<p class="legend">${each(series, (word, nth) => html`<span class="legend-${nth}">${word}</span>`)}</p>`;

const words = ({ bars: all, series }: BarChart): string =>
  all
    .filter(({ values }) => values.some((value) => value > 0))
    .map(({ label, values }) => `${label}: ${values.map((value, nth) => `${value} ${series[nth]}`).join(", ")}`)
    .join(". ");

const table = ({
  bars: all,
  series,
  title,
}: BarChart): Html => html`<div class="scroll" tabindex="0" role="region" aria-label="${title}, as a table"><table><thead><tr><th scope="col">When</th>${each(series, (word) => html`<th scope="col">${word}</th>`)}</tr></thead>
<tbody>${each(all, ({ label, values }) => html`<tr><th scope="row">${label}</th>${each(values, (value) => html`<td>${value}</td>`)}</tr>`)}</tbody></table></div>`;
