// SPDX-License-Identifier: Apache-2.0
// Colours live in style.css, once for light, dark and print; this reads the ones in force. The hues are Okabe and Ito's for
// layers and Tol's "muted" for causes: both stay distinct with every common colour blindness.

/** @typedef {{ink: string, faint: string, line: string, ground: string, band: string, accent: string, forward: string, back: string,
 *    layer: Record<string, string>, cause: Record<string, string>}} Palette */

/**
 * @param {Element} element
 * @param {string[]} layers
 * @param {string[]} causes
 * @returns {Palette}
 */
export function readPalette(element, layers, causes) {
  const style = getComputedStyle(element);
  /** @param {string} name */
  const colour = (name) => style.getPropertyValue(name).trim();
  /** @param {string} prefix @param {string[]} names */
  const family = (prefix, names) => Object.fromEntries(names.map((n) => [n, colour(`--${prefix}-${n.replaceAll("_", "-")}`)]));
  return {
    ink: colour("--ink"),
    faint: colour("--faint"),
    line: colour("--line"),
    ground: colour("--ground"),
    band: colour("--band"),
    accent: colour("--accent"),
    forward: colour("--signal-forward"),
    back: colour("--signal-back"),
    layer: family("layer", layers),
    cause: family("cause", causes),
  };
}
