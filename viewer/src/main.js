// SPDX-License-Identifier: Apache-2.0
// Builds the page of a report from the data that lies in it.

import { claimList, publishedTable } from "./claims.js";
import { latencyChart } from "./chart.js";
import { showDetail } from "./detail.js";
import { html } from "./dom.js";
import { rowTable } from "./table.js";
import { Timeline } from "./timeline.js";

/** @param {import("./types.js").Report} report @param {HTMLElement} page */
function build(report, page) {
  const timelineHost = html("div", { class: "timeline" });
  const detail = html("section", { class: "detail", "aria-live": "polite", "aria-label": "Cycles of the signal", hidden: true });
  const timeline = new Timeline(timelineHost, (message, data) => showDetail(detail, message, data));
  const rowChoice = html("select", { id: "row" }, ...report.rows.map((r, i) => html("option", { value: i }, r.label ?? `${r.buffers} buffers, ${r.optimisation}, ${r.size_bytes} bytes`)));
  const whichChoice = html("select", { id: "which" });
  const table = report.rows.some((r) => r.latency_cycles) ? rowTable(report.rows, (i) => { select(i); timelineHost.scrollIntoView({ block: "center" }); }) : null;

  /** @param {number} index */
  const select = (index) => {
    rowChoice.value = String(index);
    table?.select(index);
    whichChoice.replaceChildren(...report.rows[index].timelines.map((t, i) => html("option", { value: i }, t.name)));
    present();
  };
  const present = () => {
    const data = report.rows[Number(rowChoice.value)].timelines[Number(whichChoice.value)]?.timeline;
    if (!data) return;
    timeline.show(data);
    timeline.open(data.messages[0]);
  };
  rowChoice.addEventListener("change", () => select(Number(rowChoice.value)));
  whichChoice.addEventListener("change", present);

  page.append(
    html("header", {}, html("h1", {}, report.title), html("p", { class: "summary" }, report.summary),
      html("dl", { class: "identity" }, ...report.identity.flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, value)]))),
    section("timeline", "Timeline", html("div", { class: "choose" }, html("label", { for: "row" }, "Row "), rowChoice, html("label", { for: "which" }, " Signal "), whichChoice),
      timelineHost, detail));
  if (table) {
    page.append(section("results", "Results", html("div", { class: "beside" }, table.element, latencyChart(report.rows))));
  }
  if (report.claims.length) page.append(section("findings", "Published findings", claimList(report.claims)));
  if (report.published.length) page.append(section("numbers", "Published numbers", publishedTable(report.published)));
  select(0);
}

/** @param {string} id @param {string} title @param {...Node} children */
function section(id, title, ...children) {
  return html("section", { id }, html("h2", {}, title), ...children);
}

const source = document.getElementById("report-data");
const page = document.getElementById("page");
if (source && page) build(JSON.parse(source.textContent ?? "{}"), page);
