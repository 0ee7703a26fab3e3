// SPDX-License-Identifier: Apache-2.0
// One signal's cycles: a bar by cause and the table of layer and cause, with sums that equal the latency.

import { cycles, cyclesAndTime, grouped, percent, words } from "./format.js";
import { html, svg } from "./dom.js";

/**
 * @param {HTMLElement} host
 * @param {import("./types.js").Message} m
 * @param {import("./types.js").Timeline} data
 */
export function showDetail(host, m, data) {
  const causes = data.causes.map((_, c) => m.matrix.reduce((sum, row) => sum + row[c], 0));
  const layers = m.matrix.map((row) => row.reduce((a, b) => a + b, 0));
  const total = layers.reduce((a, b) => a + b, 0);
  const used = data.causes.map((_, c) => c).filter((c) => causes[c] > 0);
  const exact = total === m.latency_cycles;
  host.replaceChildren(
    html("h3", {}, `${m.from} → ${m.to}, ${m.size_bytes} bytes`),
    html("p", { class: "facts" },
      fact("latency", cyclesAndTime(m.latency_cycles, data.clock_hz)), fact("send blocks", cycles(m.blocking_cycles)),
      fact("CPU time of both cores", cycles(m.cpu_cycles.total)), fact("copies", m.copies), fact("interrupts", m.interrupts),
      fact("context switches", m.context_switches)),
    causeBar(data.causes, causes, total),
    html("div", { class: "scroll" }, html("table", { class: "matrix" },
      html("caption", {}, "Cycles by layer and cause"),
      html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "layer"),
        ...used.map((c) => html("th", { scope: "col" }, key(data.causes[c]), words(data.causes[c]))),
        html("th", { scope: "col" }, "sum"), html("th", { scope: "col" }, "share"))),
      html("tbody", {}, ...m.matrix.map((row, l) => html("tr", {}, html("th", { scope: "row" }, data.layers[l]),
        ...used.map((c) => html("td", { class: row[c] ? null : "none" }, row[c] ? grouped(row[c]) : "·")),
        html("td", { class: "sum" }, grouped(layers[l])), html("td", {}, percent(layers[l], total))))),
      html("tfoot", {},
        html("tr", {}, html("th", { scope: "row" }, "sum"), ...used.map((c) => html("td", { class: "sum" }, grouped(causes[c]))),
          html("td", { class: "sum total", "data-sum": total, "data-latency": m.latency_cycles }, grouped(total)), html("td", {}, "")),
        html("tr", {}, html("th", { scope: "row" }, "share"), ...used.map((c) => html("td", {}, percent(causes[c], total))),
          html("td", {}, "100 %"), html("td", {}, ""))))),
    html("p", { class: "hint" },
      exact ? `The ${grouped(total)} cycles of the table are the latency, to the cycle. ` : `The table sums to ${grouped(total)}, the latency is ${grouped(m.latency_cycles)}. `,
      `The sender's core is charged up to cycle ${grouped(m.split)}, where the receiver takes the notify; the receiver's core from there on. `,
      `As the thesis counts, both cores and idle: ${Object.entries(m.thesis_layers_cycles).map(([n, c]) => `${n} ${grouped(c)}`).join(", ")}; twice the latency in sum.`),
  );
  host.hidden = false;
}

/** @param {string} name @param {string | number} value */
function fact(name, value) {
  return html("span", { class: "fact" }, `${name} `, html("b", {}, value));
}

/** @param {string} cause */
function key(cause) {
  return html("span", { class: `swatch cause-${cause.replaceAll("_", "-")}`, "aria-hidden": "true" });
}

/** The causes as one bar of the latency's length. @param {string[]} names @param {number[]} values @param {number} total */
function causeBar(names, values, total) {
  const bar = svg("svg", { class: "cause-bar", viewBox: "0 0 1000 34", preserveAspectRatio: "none", role: "img",
    "aria-label": names.map((n, i) => (values[i] ? `${words(n)} ${percent(values[i], total)}` : "")).filter(Boolean).join(", ") });
  let x = 0;
  const labels = html("div", { class: "cause-labels", "aria-hidden": "true" });
  names.forEach((name, i) => {
    if (!values[i]) return;
    const width = (1000 * values[i]) / total;
    const part = svg("rect", { x, y: 0, width: Math.max(0.5, width - 1.5), height: 34, class: `cause-${name.replaceAll("_", "-")}` });
    part.append(svg("title", {}, `${words(name)}: ${cycles(values[i])}, ${percent(values[i], total)}`));
    bar.append(part);
    const label = html("span", {}, width > 60 ? `${words(name)} ${percent(values[i], total)}` : "");
    label.style.width = `${width / 10}%`;
    labels.append(label);
    x += width;
  });
  return html("div", { class: "cause-strip" }, bar, labels);
}
