"use strict";
// Numbers and names as a person reads them, and elements that hold text.

const SIGNIFICANT_DIGITS = 4;
const LARGEST_WHOLE = 1e15;

/** A number with four significant digits, the part before the point in full. */
function readable(number) {
  if (!Number.isFinite(number) || Math.abs(number) >= LARGEST_WHOLE) return String(number);
  if (Math.abs(number) >= 10 ** (SIGNIFICANT_DIGITS - 1)) return String(Math.round(number));
  return String(Number(number.toPrecision(SIGNIFICANT_DIGITS)));
}

/** A weight of cases: whole, or with up to two decimals. */
function cases(weight) {
  return String(Math.round(weight * 100) / 100);
}

function casesText(weight) {
  return `${cases(weight)} case${weight === 1 ? "" : "s"}`;
}

function percent(share) {
  const text = (100 * share).toFixed(1);
  return `${text.endsWith(".0") ? text.slice(0, -2) : text} %`;
}

function plural(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** A name or a label with its invisible signs made visible, so that none can turn the text around it. */
function visible(text) {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`);
}

const SVG = "http://www.w3.org/2000/svg";

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** An element of the page; children that are strings become text, never markup. */
function make(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** An element of the drawing. */
function draw(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}
