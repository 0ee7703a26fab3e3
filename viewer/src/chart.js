// SPDX-License-Identifier: Apache-2.0
// Latency over signal size: one line per buffers and optimisation, a bar from the smallest to the largest latency.

import { cycles, grouped } from "./format.js";
import { html, svg } from "./dom.js";
import { niceStep } from "./view.js";

/** @typedef {import("./types.js").Row} ChartRow */

const WIDTH = 640;
const HEIGHT = 360;
const PAD = { left: 64, right: 128, top: 14, bottom: 46 };
const HEADROOM = 2.2;

/** @param {ChartRow[]} rows @returns {HTMLElement} */
export function latencyChart(rows) {
  /** @type {Map<string, ChartRow[]>} */ const series = new Map();
  for (const row of rows) {
    const name = `${row.buffers} ${row.optimisation}`;
    series.set(name, [...(series.get(name) ?? []), row]);
  }
  const sizes = [...new Set(rows.map((r) => r.size_bytes))].sort((a, b) => a - b);
  const medians = Math.max(...rows.map((r) => r.latency_cycles.median));
  const top = Math.min(Math.max(...rows.map((r) => r.latency_cycles.max)), medians * HEADROOM);
  const step = niceStep(top / 6);
  const limit = Math.ceil(top / step) * step;
  /** @param {number} size */
  const x = (size) => PAD.left + ((WIDTH - PAD.left - PAD.right) * (Math.log2(size) - Math.log2(sizes[0]))) / Math.max(1, Math.log2(sizes[sizes.length - 1]) - Math.log2(sizes[0]));
  /** @param {number} value */
  const y = (value) => HEIGHT - PAD.bottom - ((HEIGHT - PAD.top - PAD.bottom) * Math.min(value, limit)) / limit;
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Latency of the request by signal size" });
  for (let v = 0; v <= limit; v += step)
    chart.append(svg("line", { x1: PAD.left, x2: WIDTH - PAD.right, y1: y(v), y2: y(v), class: "grid" }), svg("text", { x: PAD.left - 8, y: y(v) + 4, class: "tick end" }, grouped(v)));
  for (const size of sizes) chart.append(svg("text", { x: x(size), y: HEIGHT - PAD.bottom + 18, class: "tick middle" }, size));
  chart.append(
    svg("text", { x: (PAD.left + WIDTH - PAD.right) / 2, y: HEIGHT - 8, class: "axis middle" }, "signal size in bytes"),
    svg("text", { x: 14, y: (HEIGHT - PAD.bottom) / 2, class: "axis middle", transform: `rotate(-90 14 ${(HEIGHT - PAD.bottom) / 2})` }, "latency in cycles"));
  const ends = placeLabels([...series].map(([name, of]) => ({ name, y: y(of.reduce((a, b) => (a.size_bytes > b.size_bytes ? a : b)).latency_cycles.median) })));
  [...series].forEach(([name, of], i) => {
    const ordered = of.slice().sort((a, b) => a.size_bytes - b.size_bytes);
    const style = `${ordered[0].buffers === "cached" ? "cached" : "uncached"} ${ordered[0].optimisation === "-O0" ? "plain" : "optimised"}`;
    const group = svg("g", { class: `series ${style}` });
    const shift = (i - (series.size - 1) / 2) * 5;
    for (const row of ordered) {
      const { median, min, max } = row.latency_cycles;
      const cx = x(row.size_bytes) + shift;
      const whisker = svg("g", { class: "whisker" },
        svg("line", { x1: cx, x2: cx, y1: y(min), y2: y(max) }), svg("line", { x1: cx - 3, x2: cx + 3, y1: y(min), y2: y(min) }),
        max > limit ? svg("path", { d: `M${cx - 4} ${y(limit) + 6}L${cx} ${y(limit)}L${cx + 4} ${y(limit) + 6}` }) : svg("line", { x1: cx - 3, x2: cx + 3, y1: y(max), y2: y(max) }));
      whisker.append(svg("title", {}, `${name}, ${row.size_bytes} bytes: median ${cycles(median)}, from ${grouped(min)} to ${grouped(max)}`));
      const mark = svg("circle", { cx, cy: y(median), r: 3.5 });
      mark.append(svg("title", {}, `${name}, ${row.size_bytes} bytes: median ${cycles(median)}, from ${grouped(min)} to ${grouped(max)}`));
      group.append(whisker, mark);
      if (max > limit) group.append(svg("text", { x: cx, y: y(limit) - 3, class: "tick middle" }, grouped(max)));
    }
    group.prepend(svg("polyline", { points: ordered.map((r) => `${x(r.size_bytes) + shift},${y(r.latency_cycles.median)}`).join(" ") }));
    group.append(svg("text", { x: WIDTH - PAD.right + 14, y: (ends.get(name) ?? 0) + 4, class: "name" }, name));
    chart.append(group);
  });
  return html("figure", {}, chart, html("figcaption", {}, "Median latency of the request; the bars reach from the fastest to the slowest of all samples. An arrow: the slowest lies beyond the scale."));
}

/** Move the labels at the line ends apart. @param {{name: string, y: number}[]} labels @returns {Map<string, number>} */
function placeLabels(labels) {
  const ordered = labels.slice().sort((a, b) => a.y - b.y);
  for (let i = 1; i < ordered.length; i++) ordered[i].y = Math.max(ordered[i].y, ordered[i - 1].y + 15);
  return new Map(ordered.map((l) => [l.name, l.y]));
}
