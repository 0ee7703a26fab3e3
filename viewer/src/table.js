// SPDX-License-Identifier: Apache-2.0
// The rows of the experiment, each with its cycles as a bar by layer or by cause.

import { cycles, grouped, percent, words } from "./format.js";
import { html, svg } from "./dom.js";

/** @typedef {import("./types.js").Row} TableRow */

const COLUMNS = ["buffers", "opt.", "size", "median", "min", "max", "blocking", "round trip", "CPU, both"];

/**
 * The table; a click or Enter on a row's button calls `onSelect` with its index.
 * @param {TableRow[]} rows
 * @param {(index: number) => void} onSelect
 * @returns {{element: HTMLElement, select: (index: number) => void}}
 */
export function rowTable(rows, onSelect) {
  const body = html("tbody");
  const bars = html("th", { scope: "col", class: "share" });
  const legend = html("div", { class: "legend" });
  /** @param {"layers_cycles" | "breakdown_cycles"} by */
  const draw = (by) => {
    const prefix = by === "layers_cycles" ? "layer" : "cause";
    bars.textContent = by === "layers_cycles" ? "share of each layer" : "share of each cause";
    const names = Object.keys(rows[0]?.[by] ?? {}).filter((n) => rows.some((r) => r[by][n] > 0));
    legend.replaceChildren(...names.map((n) => html("span", { class: "key" }, html("span", { class: `swatch ${prefix}-${n.replaceAll("_", "-")}`, "aria-hidden": "true" }), words(n))));
    body.replaceChildren(...rows.map((row, i) => {
      const l = row.latency_cycles;
      const button = html("button", { type: "button", class: "link", "aria-label": `Show ${row.buffers}, ${row.optimisation}, ${row.size_bytes} bytes in the timeline` }, grouped(row.size_bytes));
      button.addEventListener("click", () => onSelect(i));
      const first = i === 0 || rows[i - 1].buffers !== row.buffers || rows[i - 1].optimisation !== row.optimisation;
      return html("tr", { class: first ? "group" : null, "data-row": i },
        html("td", { class: "text" }, row.buffers), html("td", { class: "text" }, row.optimisation), html("td", {}, button),
        html("td", { class: "sum" }, grouped(l.median)), html("td", {}, grouped(l.min)), html("td", {}, grouped(l.max)),
        html("td", {}, grouped(row.blocking_cycles)), html("td", {}, grouped(row.round_trip_cycles)), html("td", {}, grouped(row.cpu_cycles.total)),
        html("td", { class: "share" }, shareBar(names, names.map((n) => row[by][n]), prefix)));
    }));
  };
  const choice = html("fieldset", { class: "choice" }, html("legend", {}, "Shares"));
  for (const [by, label] of /** @type {["layers_cycles" | "breakdown_cycles", string][]} */ ([["layers_cycles", "by layer"], ["breakdown_cycles", "by cause"]])) {
    const radio = html("input", { type: "radio", name: "shares", value: by, checked: by === "layers_cycles" });
    radio.addEventListener("change", () => draw(by));
    choice.append(html("label", {}, radio, ` ${label}`));
  }
  draw("layers_cycles");
  const table = html("table", { class: "rows" },
    html("caption", {}, "Latency of the request, blocking time, round trip and CPU time in cycles; size in bytes"),
    html("thead", {}, html("tr", {}, ...COLUMNS.map((c, i) => html("th", { scope: "col", class: i < 2 ? "text" : null }, c)), bars)), body);
  const element = html("div", {}, html("div", { class: "over-table" }, choice, legend), html("div", { class: "scroll" }, table));
  return {
    element,
    select: (index) => {
      for (const tr of body.rows) tr.toggleAttribute("data-selected", tr.dataset.row === String(index));
    },
  };
}

/** @param {string[]} names @param {number[]} values @param {string} prefix */
function shareBar(names, values, prefix) {
  const total = values.reduce((a, b) => a + b, 0);
  const text = names.map((n, i) => `${words(n)} ${percent(values[i], total)}`).join(", ");
  const bar = svg("svg", { class: "share-bar", viewBox: "0 0 1000 14", preserveAspectRatio: "none", role: "img", "aria-label": text });
  let x = 0;
  names.forEach((name, i) => {
    const width = (1000 * values[i]) / (total || 1);
    if (width <= 0) return;
    const part = svg("rect", { x, y: 0, width: Math.max(0.5, width - 2), height: 14, class: `${prefix}-${name.replaceAll("_", "-")}` });
    part.append(svg("title", {}, `${words(name)}: ${cycles(values[i])}, ${percent(values[i], total)}`));
    bar.append(part);
    x += width;
  });
  return bar;
}
