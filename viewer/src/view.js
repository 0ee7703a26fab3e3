// SPDX-License-Identifier: Apache-2.0
// The visible piece of time: which cycle is at which pixel. Knows no drawing.

const NARROWEST = 20;

/** A window [start, end) of cycles on a strip of pixels. */
export class View {
  /** @param {number} first @param {number} last the whole, to which the view never adds */
  constructor(first, last) {
    this.first = first;
    this.last = Math.max(last, first + NARROWEST);
    this.start = this.first;
    this.end = this.last;
    this.left = 0;
    this.width = 1;
  }

  /** Where on the screen the strip is. @param {number} left @param {number} width */
  place(left, width) {
    this.left = left;
    this.width = Math.max(1, width);
  }

  /** Cycles in view. */
  get span() {
    return this.end - this.start;
  }

  /** @param {number} cycle @returns {number} */
  x(cycle) {
    return this.left + ((cycle - this.start) / this.span) * this.width;
  }

  /** @param {number} x @returns {number} */
  cycle(x) {
    return this.start + ((x - this.left) / this.width) * this.span;
  }

  /** Show everything. */
  fit() {
    this.show(this.first, this.last);
  }

  /** Show [start, end), moved and shortened until it lies inside the whole. @param {number} start @param {number} end */
  show(start, end) {
    const span = Math.min(this.last - this.first, Math.max(NARROWEST, end - start));
    const middle = (start + end) / 2;
    this.start = Math.min(this.last - span, Math.max(this.first, middle - span / 2));
    this.end = this.start + span;
  }

  /** Zoom in by `factor` > 1; the cycle `at` keeps its place. @param {number} factor @param {number} [at] */
  zoom(factor, at = (this.start + this.end) / 2) {
    const span = Math.min(this.last - this.first, Math.max(NARROWEST, this.span / factor));
    const share = (at - this.start) / this.span;
    const start = Math.min(this.last - span, Math.max(this.first, at - share * span));
    this.start = start;
    this.end = start + span;
  }

  /** Move by a share of the view. @param {number} share positive: later */
  pan(share) {
    this.move(share * this.span);
  }

  /** @param {number} by cycles */
  move(by) {
    const span = this.span;
    this.start = Math.min(this.last - span, Math.max(this.first, this.start + by));
    this.end = this.start + span;
  }

  /** Round cycles for an axis, about `wanted` of them. @param {number} wanted @returns {number[]} */
  ticks(wanted) {
    const step = niceStep(this.span / Math.max(1, wanted));
    const ticks = [];
    for (let t = Math.ceil(this.start / step) * step; t <= this.end; t += step) ticks.push(Math.round(t));
    return ticks;
  }
}

/** The smallest of 1, 2, 5 times a power of ten that is at least `atLeast`. @param {number} atLeast @returns {number} */
export function niceStep(atLeast) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, atLeast)));
  for (const m of [1, 2, 5]) if (m * power >= atLeast) return m * power;
  return 10 * power;
}
