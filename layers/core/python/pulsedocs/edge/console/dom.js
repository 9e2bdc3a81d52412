// Elements are made of names, attributes and texts. Nothing here, or anywhere, parses markup:
// a document's name is shown letter by letter, whatever it says.

import { t } from "./words.js";

const OWN = new Set(["value", "checked", "disabled", "hidden", "indeterminate"]);

/** `h("p.muted", …)` is a paragraph of the class `muted`. */
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, given] of Object.entries(attributes)) {
    if (given === undefined || given === null || given === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), given);
    else if (OWN.has(key)) element[key] = given;
    else element.setAttribute(key, given === true ? "" : given);
  }
  if (tag === "button" && attributes.onclick) element.type = "button"; // what acts by itself sends no form
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Changes what stands in a place; the focus stays on the button of the same label, or goes to `otherwise`. */
export function keepingFocus(place, change, otherwise = null) {
  const { activeElement: focused } = document;
  const isInside = place.contains(focused);
  change();
  if (!isInside || place.contains(document.activeElement)) return;
  const same = [...place.querySelectorAll("button:not(:disabled)")].find((each) => each.getAttribute("aria-label") === focused.getAttribute("aria-label"));
  (same ?? otherwise)?.focus();
}

/** A name with what acts unseen written out: `x\u202efdp.txt` would read "xtxt.pdf". */
export const spelt = (name) => name.replace(/[\p{Cc}\u00ad\u061c\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** What a document, or the one that a citation is of, is called. */
export const nameOf = ({ title, source }) => spelt(title || source);

const SHAPES = {
  pulse: "M2 12h4l3-7 4 14 3-9 2 2h4",
  close: "M5 5l14 14M19 5L5 19",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  up: "M12 19V5M6 11l6-6 6 6",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  folder: "M3 6h6l2 2h10v11H3z",
  search: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13M15.5 15.5L21 21",
  plus: "M12 5v14M5 12h14",
  none: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18M8 12h8",
};

/** An element of a drawing. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, given] of Object.entries(attributes)) element.setAttribute(key, given);
  element.append(...children.flat(Infinity));
  return element;
}

export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: SHAPES[name] }));
}

function opened(kind, ...parts) {
  const dialog = h("dialog", { class: `dialog ${kind}`, "aria-labelledby": "dialog-title" }, parts);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

const heading = (title) => h("h2", { id: "dialog-title" }, title);

/** A question in a dialog of the browser's own, which keeps the focus; resolves to true or false. */
export function confirmed(title, body, yes, no, kind = "danger") {
  return new Promise((resolve) => {
    const answer = (said, name, text) => h("button", { class: name, onclick: () => dialog.close(said) }, text);
    const dialog = opened("", heading(title), body instanceof Node ? body : h("p", {}, body), h("div.row.end", {}, answer("no", "quiet", no), answer("yes", kind, yes)));
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
  });
}

/** What is only to be read and closed, in a dialog. */
export function shown(title, kind, ...parts) {
  const cross = h("button.quiet.square.push", { "aria-label": t("close"), onclick: () => dialog.close() }, icon("close"));
  const dialog = opened(kind, h("div.row", {}, heading(title), cross), ...parts);
  return dialog;
}

/** What a select offers: values, or pairs of a value and what it is called. */
export const options = (offered) => offered.map((each) => h("option", { value: [each].flat()[0] }, [each].flat().at(-1)));

/** What scrolls by itself where it is too wide, also by keyboard. */
export const scrolled = (label, content) => h("div.scroll", { tabindex: "0", role: "region", "aria-label": label }, content);

/** A table; a cell is a text or what stands in it. */
export function table(label, heads, rows, kind = "") {
  const line = (cells) => h("tr", {}, cells.map((cell, at) => h("td", { "data-head": heads[at] }, h(typeof cell === "string" ? "bdi" : "div", {}, cell))));
  const head = h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)));
  return scrolled(label, h("table", { class: kind }, h("thead", {}, head), h("tbody", {}, rows.map(line))));
}
