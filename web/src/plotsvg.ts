// The plot as SVG, for papers and slides: the visible lines of each chart, axes, and a legend.

import type uPlot from "uplot";
import { tickStep } from "./timeline.js";

/** The size of a chart and its margins in pixels, and the height of the title. */
const SIZE = { width: 800, height: 340 };
const MARGIN = { left: 64, right: 16, top: 20, bottom: 48 };
const TITLE = 20;

/** Returns text for XML. Characters that XML does not allow are removed. */
function escaped(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "").replace(/[&<>"]/g, (found) => entities[found] ?? found);
}

/** Returns the ticks of an axis. */
function ticks(min: number, max: number, count: number): number[] {
  const step = tickStep(max - min, count);
  const first = Math.ceil(min / step);
  return Array.from({ length: Math.max(0, Math.floor(max / step) - first + 1) }, (_, index) => Number(((first + index) * step).toPrecision(10)));
}

/** Returns the path of a line. Missing values are gaps. */
function path(times: ArrayLike<number | null | undefined>, values: ArrayLike<number | null | undefined>, x: (time: number) => number, y: (value: number) => number): string {
  let drawn = "";
  let isDown = false;
  for (let index = 0; index < times.length; index++) {
    const [time, value] = [times[index], values[index]];
    if (time == null || value == null) {
      isDown = false;
      continue;
    }
    drawn += `${isDown ? "L" : "M"}${x(time).toFixed(2)} ${y(value).toFixed(2)}`;
    isDown = true;
  }
  return drawn;
}

/** Returns charts as SVG, one below the other, on white; null if no line is visible. */
export function plotSvg(charts: uPlot[], title: string): string | null {
  const drawn = charts.map((chart, index) => chartParts(chart, index * SIZE.height)).filter((parts) => parts.length > 0);
  if (drawn.length === 0) return null;
  const height = TITLE + charts.length * SIZE.height;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${height}" viewBox="0 0 ${SIZE.width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="${MARGIN.left}" y="16" font-weight="bold" fill="#1b1f24">${escaped(title)}</text>`,
    ...drawn.flat(),
    "</svg>",
    "",
  ].join("\n");
}

/** Returns the parts of a chart that begins at a height; none if no line is visible. */
function chartParts(plot: uPlot, offset: number): string[] {
  const { x: across, y: up } = plot.scales;
  const lines = plot.series.map((series, index) => ({ series, index })).slice(1).filter(({ series }) => series.show);
  const [from, to, low, high] = [across?.min, across?.max, up?.min, up?.max];
  if (lines.length === 0 || from == null || to == null || low == null || high == null) return [];
  const right = SIZE.width - MARGIN.right;
  const bottom = SIZE.height - MARGIN.bottom;
  const x = (time: number) => MARGIN.left + ((time - from) / (to - from)) * (right - MARGIN.left);
  const y = (value: number) => bottom - ((value - low) / (high - low || 1)) * (bottom - MARGIN.top);
  const middle = (MARGIN.top + bottom) / 2;
  const area = `area-${offset}`;
  const parts = [
    `<g transform="translate(0 ${TITLE + offset})">`,
    `<clipPath id="${area}"><rect x="${MARGIN.left}" y="${MARGIN.top}" width="${right - MARGIN.left}" height="${bottom - MARGIN.top}"/></clipPath>`,
    '<g stroke="#d5d9df">',
    ...ticks(from, to, 10).map((tick) => `<path d="M${x(tick).toFixed(2)} ${MARGIN.top}V${bottom}"/>`),
    ...ticks(low, high, 6).map((tick) => `<path d="M${MARGIN.left} ${y(tick).toFixed(2)}H${right}"/>`),
    '</g><g fill="#1b1f24" text-anchor="middle">',
    ...ticks(from, to, 10).map((tick) => `<text x="${x(tick).toFixed(2)}" y="${bottom + 18}">${tick}</text>`),
    `<text x="${(MARGIN.left + right) / 2}" y="${bottom + 38}">s</text>`,
    `<text transform="translate(16 ${middle}) rotate(-90)">${escaped(String(plot.axes[1]?.label ?? ""))}</text>`,
    '</g><g fill="#1b1f24" text-anchor="end">',
    ...ticks(low, high, 6).map((tick) => `<text x="${MARGIN.left - 8}" y="${(y(tick) + 4).toFixed(2)}">${tick}</text>`),
    `</g><g fill="none" stroke-width="1.5" stroke-linejoin="round" clip-path="url(#${area})">`,
  ];
  const [times = []] = plot.data;
  const color = (index: number) => {
    const { stroke } = plot.series[index] as uPlot.Series;
    return escaped(String(typeof stroke === "function" ? stroke(plot, index) : stroke));
  };
  for (const { index } of lines) parts.push(`<path stroke="${color(index)}" d="${path(times, plot.data[index] ?? [], x, y)}"/>`);
  parts.push('</g><g fill="#1b1f24">');
  const width = (right - MARGIN.left) / lines.length;
  lines.forEach(({ series, index }, place) => {
    const at = MARGIN.left + place * Math.min(width, 180);
    parts.push(`<path d="M${at} 9h18" stroke="${color(index)}" stroke-width="2"/>`, `<text x="${at + 24}" y="13">${escaped(String(series.label))}</text>`);
  });
  parts.push("</g></g>");
  return parts;
}
