// SPDX-License-Identifier: Apache-2.0
// Numbers for people: digits in groups of three, always with a unit.

const THIN = "\u202f";

/** A number with its digits in groups. @param {number} n @returns {string} */
export function grouped(n) {
  const sign = n < 0 ? "\u2212" : "";
  return sign + Math.abs(Math.round(n)).toString().replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** @param {number} n @returns {string} */
export function cycles(n) {
  return `${grouped(n)} ${Math.abs(n) === 1 ? "cycle" : "cycles"}`;
}

/** Cycles as time. @param {number} n @param {number | null} hz @returns {string} "" without a clock */
export function time(n, hz) {
  if (!hz) return "";
  const us = (n / hz) * 1e6;
  if (Math.abs(us) >= 1000) return `${(us / 1000).toFixed(2)} ms`;
  return `${us.toFixed(Math.abs(us) < 10 ? 2 : 1)} µs`;
}

/** Cycles, with the time in brackets where the clock is known. @param {number} n @param {number | null} hz @returns {string} */
export function cyclesAndTime(n, hz) {
  return hz ? `${cycles(n)} (${time(n, hz)})` : cycles(n);
}

/** A share of a whole in percent. @param {number} part @param {number} whole @returns {string} */
export function percent(part, whole) {
  if (!whole || !part) return "0 %";
  const p = (100 * part) / whole;
  return p < 0.05 ? "<0.1 %" : `${p.toFixed(1)} %`;
}

/** `bus_wait` as people write it. @param {string} name @returns {string} */
export function words(name) {
  return name === "dma" ? "DMA" : name.replaceAll("_", " ");
}
