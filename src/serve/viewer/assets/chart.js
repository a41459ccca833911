// Draws charts as SVG: bars, columns, lines, areas, pies and points. Each has a text for screen readers and a table
// of its numbers.
import { html, useRef, useState } from "./ui.js";
import { safeText, useSize } from "./parts.js";
import { counted, words } from "./viewer_words.js";
import { formatNumber } from "./i18n_core.js";

/** Colours of series, as classes of the style sheet. */
const COLORS = 8;
const MAX_SERIES = 24;
const MAX_POINTS = 2000;
const MAX_TABLE_ROWS = 500;

/**
 * Returns round numbers that cover a range.
 * @param {number} least
 * @param {number} most
 * @param {number} [count] number of steps to aim at
 * @returns {{low: number, high: number, step: number, ticks: number[]}}
 */
function niceTicks(least, most, count = 5) {
  let [low, high] = [least, most];
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [0, 1];
  if (low === high) {
    if (low === 0) high = 1;
    else [low, high] = low > 0 ? [0, high] : [low, 0];
  }
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((part) => part * power).find((part) => part >= rough * 0.999) ?? power * 10;
  const [from, to] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  const ticks = [];
  for (let at = from; at <= to; at++) ticks.push(Number((at * step).toPrecision(12)));
  return { low: ticks[0], high: ticks[ticks.length - 1], step, ticks };
}

/**
 * Maps a range of values to a range of positions.
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 */
function linear(low, high, from, to) {
  return (value) => (high === low ? from : from + ((value - low) / (high - low)) * (to - from));
}

/**
 * Returns a number as an axis shows it: 1 200 000 as 1.2 M.
 * @param {number} value
 */
function shortNumber(value) {
  const size = Math.abs(value);
  for (const [least, unit] of /** @type {[number, string][]} */ ([[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e4,
    " k"]])) {
    if (size >= least) return formatNumber(Number((value / (least === 1e4 ? 1e3 : least)).toPrecision(4))) + unit;
  }
  return formatNumber(Number(value.toPrecision(6)));
}

/**
 * Returns which of `count` labels are shown, so that they do not overlap.
 * @param {number} count
 * @param {number} space pixels for all
 * @param {number} width pixels of the widest label
 */
function labelStep(count, space, width) {
  return Math.max(1, Math.ceil((count * (width + 10)) / Math.max(1, space)));
}

/** Returns the width of a text of 12 px, roughly. @param {string} text */
function textWidth(text) {
  let width = 0;
  for (const letter of text) width += letter.charCodeAt(0) > 0x2e7f ? 12 : 6.7;
  return width;
}

/** @param {string} text @param {number} width */
function fitText(text, width) {
  if (textWidth(text) <= width) return text;
  let fitted = "";
  for (const letter of text) {
    if (textWidth(`${fitted}${letter}…`) > width) break;
    fitted += letter;
  }
  return `${fitted}…`;
}

/** @param {any} value @returns {value is number} */
function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

/**
 * Shows a chart.
 * @param {{chart: any, height?: number}} props
 */
function Chart({ chart, height = 300 }) {
  const box = useRef(null);
  const { width } = useSize(box);
  const [isTable, setTable] = useState(false);
  const series = (chart.series ?? []).slice(0, MAX_SERIES).map((one, at) => ({
    name: safeText(one.name || words("chart_series_name", { n: at + 1 })),
    values: (one.values ?? []).slice(0, MAX_POINTS).map((value) => (isNumber(value) ? value : null)),
  }));
  const categories = (chart.categories ?? []).slice(0, MAX_POINTS).map(safeText);
  const points = Math.max(0, ...series.map((one) => one.values.length));
  const hasValues = series.some((one) => one.values.some(isNumber));
  const draw = { column: drawColumns, bar: drawBars, line: drawLines, area: drawLines, pie: drawPie,
    scatter: drawPoints }[chart.kind];
  const title = safeText(chart.title || "");
  const kind = draw ? words(`chart_${chart.kind}`) : words("chart_other");
  const label = words("chart_label", {
    kind, title: title
      || words("chart_untitled"), series: counted("series", series.length), points: counted("points", points),
  });
  const legend = chart.kind === "pie" ? Array.from({ length: points }, (_, at) => categories[at] ?? String(at + 1))
    : series.length > 1 ? series.map((one) => one.name) : [];
  return html`<figure class="v-chart" ref=${box}>
    <figcaption class="v-chart-title" dir="auto">${title || kind}</figcaption>
    ${!hasValues ? html`<p class="v-muted">${words("chart_no_values")}</p>`
      : !draw ? html`<p class="v-muted">${words("chart_kind_unknown")}</p>`
      : html`<svg class="v-chart-picture" role="img" aria-label=${label} width=${width || 560} height=${height}
          viewBox=${`0 0 ${width || 560} ${height}`}>${draw({ kind: chart.kind, series, categories, points }, width
            || 560, height)}</svg>
        ${legend.length > 0 && html`<ul class="v-legend">${legend.slice(0, 40).map((name, at) => html`<li key=${at}>
          <span class=${`v-swatch v-s${at % COLORS}`} aria-hidden="true"></span><span dir="auto">${name}</span>
            </li>`)}</ul>`}`}
    ${hasValues && draw && html`<button type="button" class="v-link" aria-expanded=${String(isTable)}
      onClick=${() => setTable(!isTable)}>
      ${words("chart_table")}</button>`}
    ${hasValues && (isTable || !draw) && html`<${ChartTable} series=${series} categories=${categories} points=${points}
      label=${label} />`}
  </figure>`;
}

/** Shows the numbers of a chart. */
function ChartTable({ series, categories, points, label }) {
  const rows = Array.from({ length: Math.min(points, MAX_TABLE_ROWS) }, (_, at) => at);
  return html`<div class="v-chart-table" tabindex="0" role="region" aria-label=${label}><table>
    <thead><tr><th scope="col">${words("chart_category")}</th>
      ${series.map((one, at) => html`<th key=${at} scope="col" dir="auto">${one.name}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${row}><th scope="row" dir="auto">${categories[row] ?? row + 1}</th>
      ${series.map((one, at) => html`<td key=${at}>${isNumber(one.values[row]) ? formatNumber(one.values[row])
        : ""}</td>`)}
    </tr>`)}</tbody></table></div>`;
}

/** Returns the least and the greatest value, and 0. */
function rangeOf(series, hasZero) {
  let [low, high] = [Infinity, -Infinity];
  for (const { values } of series) {
    for (const value of values) {
      if (isNumber(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
  }
  return hasZero ? [Math.min(0, low), Math.max(0, high)] : [low, high];
}

/** Returns lines and labels of a vertical axis of values. */
function valueAxis(axis, y, left, right) {
  return axis.ticks.map((tick) => html`<g key=${`y${tick}`}>
    <line class=${tick === 0 ? "v-axis" : "v-gridline"} x1=${left} x2=${right} y1=${y(tick)} y2=${y(tick)} />
    <text class="v-label" x=${left - 6} y=${y(tick) + 4} text-anchor="end">${shortNumber(tick)}</text></g>`);
}

/** Returns labels of a horizontal axis of categories. */
function categoryAxis(categories, points, x, width, bottom) {
  const widest = Math.min(110, Math.max(0, ...categories.map(textWidth)));
  const step = labelStep(points, width, widest);
  const nodes = [];
  for (let at = 0; at < points; at += step) {
    nodes.push(html`<text key=${`x${at}`} class="v-label" x=${x(at)} y=${bottom + 16} text-anchor="middle">
      ${fitText(categories[at] ?? String(at + 1), 110)}</text>`);
  }
  return nodes;
}

/** @param {any} data @param {number} at @param {number} point */
function tip(data, at, point) {
  const { name, values } = data.series[at];
  return `${data.categories[point] ?? point + 1} · ${name}: ${formatNumber(values[point])}`;
}

function frame(axis, width, height) {
  const left = Math.min(width * 0.3, 12 + Math.max(...axis.ticks.map((tick) => textWidth(shortNumber(tick)))));
  return { left, right: width - 10, top: 10, bottom: height - 26 };
}

function drawColumns(data, width, height) {
  const axis = niceTicks(...(/** @type {[number, number]} */ (rangeOf(data.series, true))));
  const { left, right, top, bottom } = frame(axis, width, height);
  const y = linear(axis.low, axis.high, bottom, top);
  const group = (right - left) / data.points;
  const bar = Math.max(1, Math.min(48, (group * 0.76) / data.series.length));
  const start = (group - bar * data.series.length) / 2;
  return html`${valueAxis(axis, y, left, right)}
    ${data.series.map((one, at) => one.values.map((value, point) => isNumber(value) && html`<rect
      key=${`${at}.${point}`}
      class=${`v-f${at % COLORS}`} x=${left + group * point + start + bar * at} width=${Math.max(1, bar - 1)}
      y=${Math.min(y(0), y(value))} height=${Math.max(1, Math.abs(y(value) - y(0)))}>
        <title>${tip(data, at, point)}</title></rect>`))}
    ${categoryAxis(data.categories, data.points, (at) => left + group * (at + 0.5), right - left, bottom)}`;
}

function drawBars(data, width, height) {
  const names = Array.from({ length: data.points }, (_, at) => data.categories[at] ?? String(at + 1));
  const [low, high] = rangeOf(data.series, true);
  const axis = niceTicks(low, high, width < 420 ? 3 : 5);
  const left = Math.min(width * 0.35, 14 + Math.max(...names.map(textWidth)));
  const [right, top, bottom] = [width - 24, 8, height - 26];
  const x = linear(axis.low, axis.high, left, right);
  const group = (bottom - top) / data.points;
  const bar = Math.max(1, Math.min(36, (group * 0.76) / data.series.length));
  const start = (group - bar * data.series.length) / 2;
  const step = Math.max(1, Math.ceil(15 / group));
  return html`${axis.ticks.map((tick) => html`<g key=${`x${tick}`}>
      <line class=${tick === 0 ? "v-axis" : "v-gridline"} x1=${x(tick)} x2=${x(tick)} y1=${top} y2=${bottom} />
      <text class="v-label" x=${x(tick)} y=${bottom + 16} text-anchor="middle">${shortNumber(tick)}</text></g>`)}
    ${data.series.map((one, at) => one.values.map((value, point) => isNumber(value) && html`<rect
      key=${`${at}.${point}`}
      class=${`v-f${at % COLORS}`} y=${top + group * point + start + bar * at} height=${Math.max(1, bar - 1)}
      x=${Math.min(x(0), x(value))} width=${Math.max(1, Math.abs(x(value) - x(0)))}>
        <title>${tip(data, at, point)}</title></rect>`))}
    ${names.map((name, at) => at % step === 0 && html`<text key=${`n${at}`} class="v-label" x=${left - 6}
      y=${top + group * (at + 0.5) + 4} text-anchor="end">${fitText(name, left - 8)}</text>`)}`;
}

function drawLines(data, width, height) {
  const isArea = data.kind === "area";
  const [low, high] = rangeOf(data.series, isArea);
  // A line may leave out zero where its values are far from it.
  const axis = niceTicks(!isArea && low > 0 && low < (high - low) * 1.5 ? 0 : low, high);
  const { left, right, top, bottom } = frame(axis, width, height);
  const y = linear(axis.low, axis.high, bottom, top);
  const group = (right - left) / data.points;
  const x = (at) => left + group * (at + 0.5);
  const ground = y(Math.max(axis.low, Math.min(axis.high, 0)));
  const hasDots = data.points * data.series.length <= 400;
  return html`${valueAxis(axis, y, left, right)}
    ${data.series.map((one, at) => {
      // A missing value interrupts the line.
      const parts = [];
      let part = [];
      one.values.forEach((value, point) => {
        if (isNumber(value)) part.push([x(point), y(value)]);
        else if (part.length > 0) parts.push(part), (part = []);
      });
      if (part.length > 0) parts.push(part);
      const path = (list) => list.map(([px, py], index) => `${index ? "L"
        : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
      return html`<g key=${at}>
        ${isArea && parts.map((list, index) => html`<path key=${`a${index}`} class=${`v-f${at % COLORS} v-area`}
          d=${`${path(list)}L${list[list.length - 1][0].toFixed(1)} ${ground}L${list[0][0].toFixed(1)} ${ground}Z`} />`)}
        ${parts.map((list, index) => html`<path key=${`l${index}`} class=${`v-l${at % COLORS}`} d=${path(list)} />`)}
        ${hasDots && one.values.map((value, point) => isNumber(value) && html`<circle key=${point}
          class=${`v-f${at % COLORS}`}
          cx=${x(point)} cy=${y(value)} r="3"><title>${tip(data, at, point)}</title></circle>`)}
      </g>`;
    })}
    ${categoryAxis(data.categories, data.points, x, right - left, bottom)}`;
}

function drawPie(data, width, height) {
  const values = data.series[0].values.map((value) => (isNumber(value) && value > 0 ? value : 0));
  const sum = values.reduce((total, value) => total + value, 0);
  if (sum === 0) return html`<text class="v-label" x="10" y="20">${words("chart_no_values")}</text>`;
  const [cx, cy, radius] = [width / 2, height / 2, Math.max(10, Math.min(width, height) / 2 - 12)];
  let angle = -Math.PI / 2;
  return values.map((value, at) => {
    if (value === 0) return null;
    const part = value / sum;
    const [from, to] = [angle, angle + part * 2 * Math.PI];
    angle = to;
    const point = (turn, size) =>
      `${(cx + Math.cos(turn) * size).toFixed(2)} ${(cy + Math.sin(turn) * size).toFixed(2)}`;
    const text = `${data.categories[at] ?? at + 1}: ${formatNumber(value)} (${formatNumber(Number((part * 100).toFixed(1)))} %)`;
    const shape = part > 0.9999
      ? html`<circle class=${`v-f${at % COLORS} v-slice`} cx=${cx} cy=${cy} r=${radius}><title>${text}</title></circle>`
      : html`<path class=${`v-f${at % COLORS} v-slice`}
        d=${`M${cx} ${cy}L${point(from, radius)}A${radius} ${radius} 0 ${
        part > 0.5 ? 1 : 0} 1 ${point(to, radius)}Z`}><title>${text}</title></path>`;
    const middle = (from + to) / 2;
    return html`<g key=${at}>${shape}${part > 0.05 && html`<text class="v-slice-label" text-anchor="middle"
      x=${cx + Math.cos(middle) * radius * 0.66} y=${cy + Math.sin(middle) * radius * 0.66 + 4}>
        ${Math.round(part * 100)} %</text>`}</g>`;
  });
}

function drawPoints(data, width, height) {
  const xs = Array.from({ length: data.points }, (_, at) => {
    const value = Number(data.categories[at]);
    return data.categories[at] !== undefined && data.categories[at] !== "" && Number.isFinite(value) ? value : at + 1;
  });
  const [low, high] = rangeOf(data.series, false);
  const axis = niceTicks(low, high);
  const across = niceTicks(Math.min(...xs), Math.max(...xs), width < 420 ? 3 : 6);
  const { left, right, top, bottom } = frame(axis, width, height);
  const y = linear(axis.low, axis.high, bottom, top);
  const x = linear(across.low, across.high, left + 4, right - 16);
  return html`${valueAxis(axis, y, left, right)}
    ${across.ticks.map((tick) => html`<text key=${`x${tick}`} class="v-label" x=${x(tick)} y=${bottom + 16}
      text-anchor="middle">
      ${shortNumber(tick)}</text>`)}
    ${data.series.map((one, at) => one.values.map((value, point) => isNumber(value) && html`<circle
      key=${`${at}.${point}`}
      class=${`v-f${at % COLORS} v-point`} cx=${x(xs[point])} cy=${y(value)} r="4">
        <title>${tip(data, at, point)}</title></circle>`))}`;
}

export { Chart, niceTicks, linear, shortNumber, labelStep };
