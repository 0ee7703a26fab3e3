// SPDX-License-Identifier: Apache-2.0
// Which strip of the timeline shows what. Pure: data in, rectangles in cycles and pixels out.

/** @typedef {import("./types.js").Timeline} Timeline */
/** @typedef {import("./types.js").Message} Message */

/**
 * @typedef {object} Bar
 * @property {number} start cycle
 * @property {number} end cycle
 * @property {number} y
 * @property {number} height
 * @property {string} layer decides the colour
 * @property {string} style solid, call, inner or signal
 * @property {string} label
 * @property {string} about what the tooltip says
 * @property {Message | null} message
 */

/** @typedef {{y: number, height: number, label: string, kind: "core" | "task" | "kernel" | "calls" | "signals"}} Lane */
/** @typedef {{lanes: Lane[], bars: Bar[], height: number, taskY: number[][]}} Layout */

const ROW = 20;
const SIGNAL_ROW = 26;
const GAP = 4;
const CORE_HEAD = 26;
const CALL_ROW = 15;
/** @type {Record<string, string>} */
const KERNEL_PARTS = { interrupt: "entering and leaving an interrupt", switch: "switching tasks", service: "a call of send, receive or another service" };
const MEASURED = ["cm_transmit", "drv_write", "drv_read", "cm_handle_rx", "cm_handle_tx", "rlnh_deliver", "copy", "doorbell"];

/** Layer of a task by the part it plays. @param {{name: string, kind: string}} task @returns {string} */
export function layerOfTask(task) {
  if (task.kind === "idle") return "medium";
  if (task.name === "rlnh" || task.name === "cm_rx") return "manager";
  return task.name === "drv" ? "driver" : "application";
}

/** Layer of a measured call. @param {string} name @returns {string} */
export function layerOfCall(name) {
  if (name.startsWith("cm_") || name.startsWith("rlnh_")) return "manager";
  if (name === "send" || name === "receive") return "kernel";
  return "driver";
}

/**
 * Tasks of each core from the most urgent to idle, then the core's calls; signals between the first core and the others,
 * each sorted to the side of its sender.
 * @param {Timeline} data
 * @param {number} top pixels above the first lane
 * @returns {Layout}
 */
export function layOut(data, top) {
  /** @type {Lane[]} */ const lanes = [];
  /** @type {Bar[]} */ const bars = [];
  /** @type {number[][]} */ const taskY = data.cores.map(() => []);
  let y = top;
  data.cores.forEach((core, c) => {
    lanes.push({ y, height: CORE_HEAD, label: core.name, kind: "core" });
    y += CORE_HEAD;
    const order = core.tasks.map((_, i) => i).sort((a, b) => rank(core.tasks[a]) - rank(core.tasks[b]) || a - b);
    for (const i of order) {
      const task = core.tasks[i];
      if (!task.slices.length) continue;
      lanes.push({ y, height: ROW, label: task.name, kind: "task" });
      taskY[c][i] = y + ROW / 2;
      for (const [start, end] of task.slices)
        bars.push({
          start, end, y: y + 2, height: ROW - 4, layer: layerOfTask(task), style: task.kind === "idle" ? "idle" : "solid",
          label: task.name, about: `task ${task.name}, ${task.kind === "priority" ? `priority ${task.priority}` : task.kind}, ${core.name}`,
          message: null,
        });
      y += ROW;
    }
    if (core.kernel.length) {
      lanes.push({ y, height: ROW, label: "(kernel)", kind: "kernel" });
      for (const [what, start, end] of core.kernel)
        bars.push({
          start, end, y: y + 4, height: ROW - 8, layer: "kernel", style: "solid", label: what,
          about: `kernel, ${KERNEL_PARTS[what] ?? what}, ${core.name}`, message: null,
        });
      y += ROW;
    }
    y += GAP;
    const shown = core.calls.filter((call) => MEASURED.includes(call[1]));
    const rows = stack(shown);
    const depth = Math.max(0, ...rows) + 1;
    if (shown.length) {
      lanes.push({ y, height: depth * CALL_ROW, label: "calls", kind: "calls" });
      shown.forEach((call, i) => {
        const [task, name, start, end] = call;
        bars.push({
          start, end, y: y + rows[i] * CALL_ROW + 1, height: CALL_ROW - 2, layer: layerOfCall(name),
          style: name === "copy" || name === "doorbell" ? "inner" : "call", label: data.call_names[name] ?? name,
          about: `${data.call_names[name] ?? name}, in ${core.tasks[task].name}, ${core.name}`, message: null,
        });
      });
      y += depth * CALL_ROW;
    }
    y += GAP;
    const sent = data.messages.filter((m) => m.from_core === c);
    for (const m of sent) {
      lanes.push({ y, height: SIGNAL_ROW, label: `${m.from} → ${m.to}`, kind: "signals" });
      bars.push({
        start: m.send_call, end: m.receive_return, y: y + 3, height: SIGNAL_ROW - 6, layer: "", style: "signal",
        label: `${m.size_bytes} B`, about: `signal ${m.from} → ${m.to}, ${m.size_bytes} bytes`, message: m,
      });
      y += SIGNAL_ROW;
    }
    y += GAP * 2;
  });
  return { lanes, bars, height: y, taskY };
}

/** @param {{kind: string, priority: number}} task */
function rank(task) {
  if (task.kind === "interrupt") return task.priority - 100;
  return task.kind === "idle" ? 1000 : task.priority;
}

/**
 * A row for each call so that a call lies below every call that was open when it began.
 * @param {import("./types.js").Call[]} calls by start
 * @returns {number[]}
 */
function stack(calls) {
  /** @type {number[]} */ const ends = [];
  return calls.map(([, , start, end]) => {
    let row = ends.findIndex((e) => e <= start);
    let deepest = -1;
    ends.forEach((e, i) => { if (e > start) deepest = i; });
    if (row < 0 || row < deepest) row = deepest + 1;
    ends[row] = end;
    return row;
  });
}
