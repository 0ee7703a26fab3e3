// SPDX-License-Identifier: Apache-2.0
// The published findings with their verdicts, and the published numbers beside ours.

import { grouped } from "./format.js";
import { html } from "./dom.js";

/** @type {Record<string, [string, string]>} */
const VERDICTS = { holds: ["✓", "holds"], differs: ["≠", "differs"], calibrated: ["≈", "calibrated"], "not-run": ["–", "not run"] };

/** @param {import("./types.js").Claim[]} claims @returns {HTMLElement} */
export function claimList(claims) {
  const evaluated = claims.filter((c) => c.verdict !== "not-run");
  const open = claims.filter((c) => c.verdict === "not-run");
  const counts = Object.keys(VERDICTS).map((v) => [VERDICTS[v][1], claims.filter((c) => c.verdict === v).length]).filter(([, n]) => n);
  return html("div", {},
    html("p", {}, counts.map(([name, n]) => `${n} ${name}`).join(", "), "."),
    html("div", { class: "claims" }, ...evaluated.map(claimItem)),
    open.length ? html("details", {}, html("summary", {}, `${open.length} findings need what is not built yet`), html("div", { class: "claims" }, ...open.map(claimItem))) : null);
}

/** @param {import("./types.js").Claim} c */
function claimItem(c) {
  const [mark, name] = VERDICTS[c.verdict] ?? ["?", c.verdict];
  return html("article", { class: `claim verdict-${c.verdict}` },
    html("div", { class: "verdict" }, html("span", { class: "mark", "aria-hidden": "true" }, mark), name),
    html("div", {},
      html("p", { class: "claim-text" }, c.claim),
      c.figure ? html("p", { class: "figure" }, c.figure) : null,
      html("p", { class: "hint" }, `${c.why} `, html("span", { class: "id" }, `${c.id}, section ${c.section}`))));
}

/** @param {import("./types.js").Published[]} rows @returns {HTMLElement} */
export function publishedTable(rows) {
  return html("div", { class: "scroll" }, html("table", { class: "rows" },
    html("caption", {}, "Published on a Nios II/f at 50 MHz, measured here on the simulator's nios2f class"),
    html("thead", {}, html("tr", {}, ...["what", "published", "measured", "ratio", "unit"].map((c, i) => html("th", { scope: "col", class: i ? null : "text" }, c)))),
    html("tbody", {}, ...rows.map((r) => html("tr", { title: r.id },
      html("td", { class: "text" }, r.subject), html("td", {}, `${{ approx: "≈ ", at_least: "≥ ", at_most: "≤ " }[r.qualifier] ?? ""}${decimal(r.published)}`),
      html("td", { class: "sum" }, decimal(r.measured)), html("td", {}, r.published ? (r.measured / r.published).toFixed(2) : "–"), html("td", { class: "text" }, r.unit))))));
}

/** @param {number} n */
function decimal(n) {
  return Number.isInteger(n) || Math.abs(n) >= 100 ? grouped(n) : n.toFixed(2);
}
