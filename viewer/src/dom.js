// SPDX-License-Identifier: Apache-2.0
// Builds elements. Text never becomes markup, so nothing in a trace can.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined} Child */

/**
 * An HTML element. An attribute that is null, undefined or false is left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG_NAMESPACE, tag);
  fill(element, attributes, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, string | number | boolean | null | undefined>} attributes
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** A labelled swatch for a legend. @param {string} colour @param {string} label @returns {HTMLElement} */
export function swatch(colour, label) {
  const box = html("span", { class: "swatch", "aria-hidden": "true" });
  box.style.backgroundColor = colour;
  return html("span", { class: "key" }, box, label);
}
