// SPDX-License-Identifier: Apache-2.0
// The timeline: a canvas for tasks, calls and signals; buttons for the same signals, so that everything can be reached
// without a mouse. Mouse: drag pans, Ctrl+wheel or the wheel on the focused timeline zooms, double click fits.

import { cycles, cyclesAndTime, grouped, time } from "./format.js";
import { html, swatch } from "./dom.js";
import { layOut } from "./lanes.js";
import { readPalette } from "./palette.js";
import { View } from "./view.js";

/** @typedef {import("./types.js").Timeline} TimelineData */
/** @typedef {import("./types.js").Message} TimelineMessage */
/** @typedef {import("./lanes.js").Bar} LaneBar */

const LABELS = 118;
const RIGHT = 14;
const AXIS = 26;
const PAN_STEP = 0.15;
const ZOOM_STEP = 1.5;
const CATCH = 6;
const KEYS = "Arrow keys move, + and − zoom, 0 or F fits, Tab goes to the signals, Enter opens one.";

export class Timeline {
  /**
   * @param {HTMLElement} host
   * @param {(message: TimelineMessage, data: TimelineData) => void} onOpen
   */
  constructor(host, onOpen) {
    this.onOpen = onOpen;
    /** @type {TimelineData | null} */ this.data = null;
    this.view = new View(0, 1);
    /** @type {import("./lanes.js").Layout} */ this.layout = { lanes: [], bars: [], height: 0, taskY: [] };
    /** @type {TimelineMessage | null} */ this.opened = null;
    /** @type {TimelineMessage | null} */ this.pointed = null;
    this.drag = { active: false, moved: false, x: 0 };
    this.drawing = 0;

    this.canvas = html("canvas", { tabindex: "0", role: "application", "aria-label": "Timeline of the cores", "aria-describedby": "timeline-keys" });
    this.tip = html("div", { class: "tip", role: "tooltip", hidden: true });
    this.range = html("output", { class: "range", "aria-live": "polite" });
    this.signals = html("div", { class: "signals", role: "group", "aria-label": "Signals" });
    this.legend = html("div", { class: "legend" });
    const tools = html("div", { class: "tools", role: "toolbar", "aria-label": "View" },
      this.tool("−", "Zoom out", () => this.view.zoom(1 / ZOOM_STEP)), this.tool("+", "Zoom in", () => this.view.zoom(ZOOM_STEP)),
      this.tool("←", "Earlier", () => this.view.pan(-PAN_STEP)), this.tool("→", "Later", () => this.view.pan(PAN_STEP)),
      this.tool("Fit", "Show everything", () => this.view.fit()), this.range);
    this.frame = html("div", { class: "canvas-frame" }, this.canvas, this.tip);
    host.append(tools, this.frame, this.signals, html("p", { class: "hint", id: "timeline-keys" }, KEYS), this.legend);

    this.canvas.addEventListener("keydown", (e) => this.key(e));
    this.canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    this.canvas.addEventListener("pointerdown", (e) => this.press(e));
    this.canvas.addEventListener("pointermove", (e) => this.move(e));
    this.canvas.addEventListener("pointerup", (e) => this.release(e));
    this.canvas.addEventListener("pointercancel", () => { this.drag.active = false; });
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("dblclick", () => this.act(() => this.view.fit()));
    new ResizeObserver(() => this.resize()).observe(this.frame);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    addEventListener("beforeprint", () => this.draw());
  }

  /** Show another piece of a run. @param {TimelineData} data */
  show(data) {
    this.data = data;
    this.view = new View(data.start, data.end);
    this.layout = layOut(data, AXIS);
    this.opened = this.pointed = null;
    this.signals.replaceChildren(...data.messages.map((m) => this.signalButton(m)));
    this.resize();
  }

  /** Mark a signal as open and show its cycles. @param {TimelineMessage} message */
  open(message) {
    if (!this.data) return;
    this.opened = message;
    for (const button of this.signals.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.number === String(message.number)));
    this.onOpen(message, this.data);
    this.redraw();
  }

  /** @param {string} label @param {string} name @param {() => void} action */
  tool(label, name, action) {
    const button = html("button", { type: "button", "aria-label": name, title: name }, label);
    button.addEventListener("click", () => this.act(action));
    return button;
  }

  /** @param {TimelineMessage} m */
  signalButton(m) {
    const hz = this.data?.clock_hz ?? null;
    const button = html("button", { type: "button", "data-number": m.number, "aria-pressed": "false" },
      html("span", { class: m.from_core === 0 ? "dot forward" : "dot back", "aria-hidden": "true" }),
      `${m.from} → ${m.to}, ${m.size_bytes} bytes: ${cyclesAndTime(m.latency_cycles, hz)}`);
    button.addEventListener("click", () => this.open(m));
    button.addEventListener("focus", () => { this.pointed = m; this.reveal(m); });
    button.addEventListener("blur", () => { this.pointed = null; this.redraw(); });
    button.addEventListener("keydown", (e) => this.key(e));
    return button;
  }

  /** Bring a signal into view. @param {TimelineMessage} m */
  reveal(m) {
    if (m.send_call < this.view.start || m.receive_return > this.view.end) {
      const room = (m.receive_return - m.send_call) * 0.1;
      this.act(() => this.view.show(m.send_call - room, m.receive_return + room));
    } else this.redraw();
  }

  /** Change the view and draw it. @param {() => void} change */
  act(change) {
    change();
    this.redraw();
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.view.pan(-PAN_STEP),
      ArrowRight: () => this.view.pan(PAN_STEP),
      ArrowUp: () => this.view.zoom(ZOOM_STEP),
      ArrowDown: () => this.view.zoom(1 / ZOOM_STEP),
      "+": () => this.view.zoom(ZOOM_STEP),
      "=": () => this.view.zoom(ZOOM_STEP),
      "-": () => this.view.zoom(1 / ZOOM_STEP),
      0: () => this.view.fit(),
      f: () => this.view.fit(),
      F: () => this.view.fit(),
      Home: () => this.view.move(-Infinity),
      End: () => this.view.move(Infinity),
    };
    const action = keys[e.key];
    if (!action) return;
    e.preventDefault();
    this.act(action);
  }

  /** @param {WheelEvent} e */
  wheel(e) {
    if (!e.ctrlKey && !e.shiftKey && document.activeElement !== this.canvas) return;
    e.preventDefault();
    if (e.shiftKey) this.act(() => this.view.move(((e.deltaY || e.deltaX) / this.view.width) * this.view.span));
    else this.act(() => this.view.zoom(Math.exp(-e.deltaY / 400), this.view.cycle(e.offsetX)));
  }

  /** @param {PointerEvent} e */
  press(e) {
    if (e.button !== 0) return;
    this.drag = { active: true, moved: false, x: e.clientX };
    this.canvas.setPointerCapture(e.pointerId);
  }

  /** @param {PointerEvent} e */
  move(e) {
    if (this.drag.active) {
      const by = e.clientX - this.drag.x;
      if (Math.abs(by) < 3 && !this.drag.moved) return;
      this.drag = { active: true, moved: true, x: e.clientX };
      this.tip.hidden = true;
      this.act(() => this.view.move((-by / this.view.width) * this.view.span));
      return;
    }
    this.point(e.offsetX, e.offsetY);
  }

  /** @param {PointerEvent} e */
  release(e) {
    const clicked = this.drag.active && !this.drag.moved;
    this.drag.active = false;
    if (!clicked) return;
    const message = this.messageAt(e.offsetX, e.offsetY);
    if (message) this.open(message);
  }

  leave() {
    this.tip.hidden = true;
    if (this.pointed) { this.pointed = null; this.redraw(); }
  }

  /** What is under the pointer. @param {number} x @param {number} y */
  point(x, y) {
    const message = this.messageAt(x, y);
    const bar = message ? null : this.barAt(x, y);
    this.canvas.style.cursor = message ? "pointer" : "default";
    if (message !== this.pointed) { this.pointed = message; this.redraw(); }
    const hz = this.data?.clock_hz ?? null;
    if (message) {
      this.say(x, y, `${message.from} → ${message.to}, ${message.size_bytes} bytes`,
        [`latency ${cyclesAndTime(message.latency_cycles, hz)}`, `send blocks ${cycles(message.blocking_cycles)}`, "click to see its cycles by cause"]);
    } else if (bar) {
      this.say(x, y, bar.about, [cyclesAndTime(bar.end - bar.start, hz), `from ${grouped(bar.start)} to ${grouped(bar.end)}`]);
    } else this.tip.hidden = true;
  }

  /** @param {number} x @param {number} y @param {string} title @param {string[]} lines */
  say(x, y, title, lines) {
    this.tip.replaceChildren(html("strong", {}, title), ...lines.map((l) => html("span", {}, l)));
    this.tip.hidden = false;
    const box = this.tip.getBoundingClientRect();
    const left = x + 14 + box.width > this.frame.clientWidth ? x - 14 - box.width : x + 14;
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${Math.max(0, Math.min(y + 14, this.frame.clientHeight - box.height))}px`;
  }

  /** The signal whose bar or arrow is there. @param {number} x @param {number} y @returns {TimelineMessage | null} */
  messageAt(x, y) {
    if (!this.data || x < LABELS) return null;
    const bar = this.layout.bars.find((b) => b.message && y >= b.y && y <= b.y + b.height && x >= this.view.x(b.start) - 2 && x <= this.view.x(b.end) + 2);
    if (bar) return bar.message;
    for (const m of this.data.messages) {
      const a = this.arrow(m);
      if (a && distance(x, y, a) <= CATCH) return m;
    }
    return null;
  }

  /** The innermost bar there. @param {number} x @param {number} y @returns {LaneBar | null} */
  barAt(x, y) {
    if (x < LABELS) return null;
    /** @type {LaneBar | null} */ let best = null;
    for (const b of this.layout.bars) {
      if (y < b.y || y > b.y + b.height || x < this.view.x(b.start) - 1 || x > this.view.x(b.end) + 1) continue;
      if (!best || b.end - b.start < best.end - best.start) best = b;
    }
    return best;
  }

  /** Ends of a signal's arrow in pixels. @param {TimelineMessage} m @returns {[number, number, number, number] | null} */
  arrow(m) {
    const from = this.layout.taskY[m.from_core]?.[m.from_task];
    const to = this.layout.taskY[m.to_core]?.[m.to_task];
    if (from === undefined || to === undefined) return null;
    return [this.view.x(m.send_call), from, this.view.x(m.receive_return), to];
  }

  resize() {
    const width = this.frame.clientWidth;
    if (!width || !this.data) return;
    this.view.place(LABELS, width - LABELS - RIGHT);
    this.canvas.style.height = `${this.layout.height}px`;
    this.draw();
  }

  redraw() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => { this.drawing = 0; this.draw(); });
  }

  draw() {
    const data = this.data;
    const g = this.canvas.getContext("2d");
    if (!data || !g) return;
    const ratio = Math.max(devicePixelRatio || 1, matchMedia("print").matches ? 2 : 1);
    const width = this.frame.clientWidth;
    const height = this.layout.height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    g.scale(ratio, ratio);
    const p = readPalette(this.canvas, data.layers, data.causes);
    g.fillStyle = p.ground;
    g.fillRect(0, 0, width, height);
    this.drawGrid(g, p, width, height);
    g.save();
    g.beginPath();
    g.rect(LABELS, 0, width - LABELS - RIGHT, height);
    g.clip();
    for (const bar of this.layout.bars) this.drawBar(g, p, bar);
    for (const m of data.messages) this.drawArrow(g, p, m);
    g.restore();
    this.drawLabels(g, p, width);
    this.range.textContent = `${grouped(this.view.start)} to ${cyclesAndTime(this.view.end, data.clock_hz)}, ${cycles(this.view.span)} in view`;
    this.range.dataset.start = String(this.view.start);
    this.range.dataset.end = String(this.view.end);
    this.drawLegend(p);
  }

  /** @param {CanvasRenderingContext2D} g @param {import("./palette.js").Palette} p @param {number} width @param {number} height */
  drawGrid(g, p, width, height) {
    const hz = this.data?.clock_hz ?? null;
    g.font = "11px system-ui, sans-serif";
    g.textBaseline = "middle";
    for (const lane of this.layout.lanes) {
      if (lane.kind !== "task") continue;
      g.fillStyle = p.band;
      g.fillRect(LABELS, lane.y + 1, width - LABELS - RIGHT, lane.height - 2);
    }
    const ticks = this.view.ticks(Math.floor(this.view.width / 110));
    g.textAlign = "center";
    for (const t of ticks) {
      const x = Math.round(this.view.x(t)) + 0.5;
      g.strokeStyle = p.line;
      g.beginPath();
      g.moveTo(x, AXIS - 5);
      g.lineTo(x, height);
      g.stroke();
      const near = x < LABELS + 30 || x > width - RIGHT - 30;
      g.fillStyle = p.faint;
      if (!near || ticks.length < 3) g.fillText(grouped(t), x, 10);
    }
    g.textAlign = "left";
    g.fillStyle = p.faint;
    g.fillText("cycles", 8, 10);
    if (hz && ticks.length > 1) g.fillText(`${time(ticks[1] - ticks[0], hz)}/div`, 54, 10);
  }

  /** @param {CanvasRenderingContext2D} g @param {import("./palette.js").Palette} p @param {LaneBar} bar */
  drawBar(g, p, bar) {
    if (bar.end <= this.view.start || bar.start >= this.view.end) return;
    const x = Math.max(this.view.x(bar.start), LABELS - 4);
    const w = Math.max(Math.min(this.view.x(bar.end), this.view.left + this.view.width + 4) - x, 1);
    if (bar.message) {
      const colour = bar.message.from_core === 0 ? p.forward : p.back;
      const returned = this.view.x(bar.message.send_return);
      const full = bar.message === this.opened || bar.message === this.pointed;
      g.globalAlpha = full ? 0.55 : 0.3;
      g.fillStyle = colour;
      g.fillRect(x, bar.y, w, bar.height);
      g.globalAlpha = 1;
      g.fillRect(x, bar.y, Math.max(1, Math.min(returned, x + w) - x), 4);
      g.strokeStyle = colour;
      g.lineWidth = full ? 2 : 1;
      g.strokeRect(x, bar.y, w, bar.height);
      g.lineWidth = 1;
      g.fillRect(this.view.x(bar.message.split) - 1, bar.y, 2, bar.height);
      this.text(g, p.ink, `${bar.label}, ${cycles(bar.message.latency_cycles)}`, x + 5, bar.y + bar.height / 2 + 2.5, w - 8);
      return;
    }
    const colour = p.layer[bar.layer];
    if (bar.style === "idle") {
      g.globalAlpha = 0.35;
      g.fillStyle = colour;
      g.fillRect(x, bar.y + bar.height / 2 - 1.5, w, 3);
      g.globalAlpha = 1;
      return;
    }
    if (bar.style === "solid") {
      g.fillStyle = colour;
      g.fillRect(x, bar.y, w, bar.height);
      this.text(g, p.ground, bar.label, x + 4, bar.y + bar.height / 2 + 0.5, w - 6);
      return;
    }
    g.globalAlpha = bar.style === "inner" ? 0.5 : 0.22;
    g.fillStyle = colour;
    g.fillRect(x, bar.y, w, bar.height);
    g.globalAlpha = 1;
    if (w > 3) {
      g.strokeStyle = colour;
      g.strokeRect(x + 0.5, bar.y + 0.5, w - 1, bar.height - 1);
    }
    this.text(g, p.ink, bar.label, x + 4, bar.y + bar.height / 2 + 0.5, w - 6);
  }

  /** Text that is left out where it does not fit. @param {CanvasRenderingContext2D} g @param {string} colour @param {string} text
   *  @param {number} x @param {number} y @param {number} room */
  text(g, colour, text, x, y, room) {
    if (room < 12 || g.measureText(text).width > room) return;
    g.fillStyle = colour;
    g.textAlign = "left";
    g.fillText(text, x, y);
  }

  /** @param {CanvasRenderingContext2D} g @param {import("./palette.js").Palette} p @param {TimelineMessage} m */
  drawArrow(g, p, m) {
    const ends = this.arrow(m);
    if (!ends) return;
    const [x1, y1, x2, y2] = ends;
    const strong = m === this.opened || m === this.pointed;
    const colour = m.from_core === 0 ? p.forward : p.back;
    const angle = Math.atan2(y2 - y1, x2 - x1);
    for (const [stroke, width] of /** @type {[string, number][]} */ ([[p.ground, strong ? 6 : 4.5], [colour, strong ? 3 : 1.75]])) {
      g.strokeStyle = stroke;
      g.fillStyle = stroke;
      g.lineWidth = width;
      g.beginPath();
      g.moveTo(x1, y1);
      g.lineTo(x2, y2);
      g.stroke();
    }
    g.lineWidth = 1;
    const size = strong ? 11 : 9;
    g.beginPath();
    g.moveTo(x2, y2);
    g.lineTo(x2 - size * Math.cos(angle - 0.4), y2 - size * Math.sin(angle - 0.4));
    g.lineTo(x2 - size * Math.cos(angle + 0.4), y2 - size * Math.sin(angle + 0.4));
    g.closePath();
    g.fill();
    g.beginPath();
    g.arc(x1, y1, strong ? 4.5 : 3.5, 0, 2 * Math.PI);
    g.fill();
  }

  /** @param {CanvasRenderingContext2D} g @param {import("./palette.js").Palette} p @param {number} width */
  drawLabels(g, p, width) {
    g.textAlign = "left";
    for (const lane of this.layout.lanes) {
      if (lane.kind === "core") {
        g.font = "600 12px system-ui, sans-serif";
        g.fillStyle = p.ink;
        g.fillText(lane.label, 8, lane.y + lane.height / 2 + 3);
        g.strokeStyle = p.line;
        g.beginPath();
        g.moveTo(8, lane.y + 0.5);
        g.lineTo(width - RIGHT, lane.y + 0.5);
        g.stroke();
        continue;
      }
      g.font = "11px system-ui, sans-serif";
      g.fillStyle = lane.kind === "task" ? p.ink : p.faint;
      g.fillText(lane.label, 16, lane.y + (lane.kind === "calls" ? 8 : lane.height / 2), LABELS - 22);
    }
  }

  /** @param {import("./palette.js").Palette} p */
  drawLegend(p) {
    if (!this.data) return;
    this.legend.replaceChildren(
      ...this.data.layers.map((l) => swatch(p.layer[l], l === "medium" ? "idle" : l)),
      swatch(p.forward, "signal from core 0"), swatch(p.back, "signal from another core"),
      html("span", { class: "key" }, "signal's bar: latency; its edge: send blocks; its line: the receiver takes over"));
  }
}

/** Distance of a point from a line between two points. @param {number} x @param {number} y @param {[number, number, number, number]} line */
function distance(x, y, [x1, y1, x2, y2]) {
  const dx = x2 - x1;
  const dy = y2 - y1;
  const share = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x1 - share * dx, y - y1 - share * dy);
}
