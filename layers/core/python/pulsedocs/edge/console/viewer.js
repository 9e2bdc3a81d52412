// A page beside the work: drawn as it is printed, with the cited words marked; or its text, where a
// format has no pages. On narrow screens it lies over the work, and Escape closes it.

import { Latest, call } from "./api.js";
import { h, icon, keepingFocus, nameOf } from "./dom.js";
import { notice } from "./notices.js";
import { t } from "./words.js";

const KEPT_PAGES = 12;
const DOTS = [100, 2000];
const DRAWN = /^(application\/(x-)?pdf|image\/.+)$/; // files of other types have a text alone
const pictures = new Map();

let panel = null;
let place = null;
let opener = null;
let zoom = 1;
let isStacked = false; // the page has an entry of its own in the history, which Back takes away
const drawing = new Latest();

const isOver = () => getComputedStyle(panel).position === "fixed";

function element() {
  panel = h("aside", { id: "viewer", "aria-label": t("viewer"), hidden: true, tabindex: "-1" });
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key === "PageDown" && event.altKey) turn(1);
    if (event.key === "PageUp" && event.altKey) turn(-1);
    if (event.key === "Tab" && isOver()) keepFocus(event);
  });
  return panel;
}

/** Where the page lies over everything, Tab stays in it. */
function keepFocus(event) {
  const stops = [...panel.querySelectorAll("button:not(:disabled), [tabindex='0']")];
  const [first, last] = [stops[0], stops.at(-1)];
  const isAtEnd = document.activeElement === (event.shiftKey ? first : last);
  if (!isAtEnd) return;
  event.preventDefault();
  (event.shiftKey ? last : first).focus();
}

/** Shows `{documentId, version, type, source, title, page, total, start, end, quote, ocr, confidence, doubtful}`. */
async function open(wanted, { focus = true } = {}) {
  if (!panel) return;
  if (focus) opener = document.activeElement;
  // On a narrow screen nothing covers the answer that nobody asked to see.
  panel.hidden = false;
  if (!focus && isOver()) {
    panel.hidden = true;
    return;
  }
  if (isOver() && !isStacked) {
    history.pushState(null, "");
    isStacked = true;
  }
  document.body.classList.add("reading");
  place = wanted;
  zoom = 1;
  if (place.total === undefined) place.total = null;
  if (place.total === null || !place.type) place.looked = look(wanted);
  draw();
  if (focus) panel.focus();
  await place.looked;
}

/** How many pages the wanted version has, of which type it is, and whether another stands in its place. */
async function sizeOf({ documentId, version }) {
  const status = await call("GET", `documents/${documentId}`);
  const earlier = Boolean(version) && status.published_version !== null && version !== status.published_version;
  if (!version || version === status.version) return { total: status.pages.total, type: status.content_type, earlier };
  for (let cursor = null; ; ) {
    const found = await call("GET", `documents/${documentId}/versions`, { query: { limit: 100, cursor } });
    const kept = found.versions.find((each) => each.version === version);
    cursor = found.cursor;
    if (kept || !cursor) return { total: kept?.pages ?? null, type: kept?.content_type, earlier };
  }
}

async function look(wanted) {
  try {
    const { total, type, earlier } = await sizeOf(wanted);
    const isShown = place?.documentId === wanted.documentId && place.version === wanted.version;
    if (isShown) Object.assign(place, { total, type, earlier: place.earlier || earlier });
    if (isShown) updateBar();
  } catch {
    // The page says what is wrong; without a count there is no last page.
  }
}

function close() {
  if (isStacked) history.back();
  isStacked = false;
  drawing.end();
  document.body.classList.remove("reading");
  if (!panel || panel.hidden) return;
  panel.hidden = true;
  panel.replaceChildren();
  place = null;
  if (opener?.isConnected) opener.focus();
}

// Also a link is followed by this, before its section is shown.
window.addEventListener("popstate", () => {
  if (!isStacked) return;
  isStacked = false;
  close();
});

/** Closes without moving the focus, which is elsewhere. */
function leave() {
  opener = null;
  close();
}

function turn(by) {
  if (!place || place.page + by < 1 || (place.total && place.page + by > place.total)) return;
  place = { ...place, page: place.page + by, quote: null, start: 0, end: 0, ocr: false, confidence: null, doubtful: [] };
  zoom = 1;
  keepingFocus(panel, draw, panel);
}

function button(name, label, action) {
  return h("button.quiet.square", { "aria-label": label, title: label, onclick: action }, icon(name));
}

function updateBar() {
  const total = place.total;
  const where = total ? t("pageOf", { page: place.page, total }) : t("page", { page: place.page });
  panel.querySelector(".where").textContent = place.earlier ? `${where} · ${t("earlierVersion", { version: place.version })}` : where;
  panel.querySelector("[data-turn='-1']").disabled = place.page <= 1;
  panel.querySelector("[data-turn='1']").disabled = Boolean(total) && place.page >= total;
}

function draw() {
  const [back, forth] = [button("left", t("previousPage"), () => turn(-1)), button("right", t("nextPage"), () => turn(1))];
  const larger = button("search", t("zoomIn"), () => enlarge(sheet));
  back.dataset.turn = "-1";
  forth.dataset.turn = "1";
  const sheet = h("div.sheet", { tabindex: "0", "aria-busy": "true" }, h("div.paper.blank", {}, t("loading")));
  panel.replaceChildren(
    h(
      "div.viewer-bar",
      {},
      h("div.viewer-title", {}, h("h2", { dir: "auto" }, nameOf(place)), h("p.muted.small", {}, h("span.where", { "aria-live": "polite" }))),
      larger,
      back,
      forth,
      button("close", t("closeViewer"), close),
    ),
    ...(place.quote
      ? [h("blockquote.quote", {}, h("p", { dir: "auto" }, place.quote.replace(/\s+/g, " ")), marks(place))]
      : []),
    sheet,
  );
  updateBar();
  fill(sheet, place);
}

/** What is to be known of words that a program recognised. */
export function marks({ ocr, confidence, doubtful = [] }) {
  if (!ocr) return "";
  const isLow = (confidence !== null && confidence !== undefined && confidence < 0.8) || doubtful.length > 0;
  return h("span.badge.warn", { title: [t("ocrHelp"), ...doubtful].join(" · ") }, isLow ? `${t("ocr")} · ${t("lowConfidence")}` : t("ocr"));
}

async function fill(sheet, wanted) {
  const signal = drawing.next();
  try {
    if (!wanted.type) await wanted.looked;
    if (wanted.type && !DRAWN.test(wanted.type)) {
      await fillWithText(sheet, wanted, "textOnly", signal);
      centre(sheet);
      return;
    }
    const drawn = await picture(wanted, sheet.clientWidth, signal);
    if (place === wanted) sheet.replaceChildren(paper(drawn, wanted));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error.code !== "NO_BOXES") {
      sheet.replaceChildren(notice(error, () => fill(sheet, wanted)));
      return;
    }
    await fillWithText(sheet, wanted, "noPicture", signal);
  } finally {
    sheet.setAttribute("aria-busy", "false");
  }
  centre(sheet);
}

/** Brings the words to the middle of the sheet. The window stays: there stands the answer. */
function centre(sheet) {
  const mark = sheet.querySelector(".box, mark");
  if (!mark) return;
  const [found, seen] = [mark.getBoundingClientRect(), sheet.getBoundingClientRect()];
  sheet.scrollBy(found.left + found.width / 2 - seen.left - seen.width / 2, found.top + found.height / 2 - seen.top - seen.height / 2);
}

async function picture(wanted, room, signal) {
  const dots = Math.min(DOTS[1], Math.max(DOTS[0], Math.ceil((room * Math.min(devicePixelRatio, 2)) / 200) * 200));
  const key = [wanted.documentId, wanted.version ?? 0, wanted.page, wanted.start ?? 0, wanted.end ?? 0, dots].join("/");
  if (!pictures.has(key)) {
    const found = await call("GET", `documents/${wanted.documentId}/pages/${wanted.page}/picture`, {
      query: { width: dots, start: wanted.start || 0, end: wanted.end || 0, version: wanted.version },
      signal,
    });
    const bytes = Uint8Array.from(atob(found.png), (letter) => letter.charCodeAt(0));
    delete found.png;
    pictures.set(key, { ...found, address: URL.createObjectURL(new Blob([bytes], { type: "image/png" })) });
    if (pictures.size > KEPT_PAGES) {
      const [oldest, { address }] = pictures.entries().next().value;
      URL.revokeObjectURL(address);
      pictures.delete(oldest);
    }
  }
  return pictures.get(key);
}

/** The words stand over the picture in shares of its size, so that they fit at any. */
function paper(drawn, wanted) {
  const name = { page: wanted.page, source: nameOf(wanted), count: drawn.boxes.length };
  const image = h("img", { src: drawn.address, alt: t(drawn.boxes.length ? "pictureMarked" : "pictureOf", name) });
  const boxes = drawn.boxes.map(([x0, y0, x1, y1]) => {
    const box = h("span.box", { "aria-hidden": "true" });
    box.style.left = `${(100 * x0) / drawn.width}%`;
    box.style.top = `${(100 * y0) / drawn.height}%`;
    box.style.width = `${(100 * (x1 - x0)) / drawn.width}%`;
    box.style.height = `${(100 * (y1 - y0)) / drawn.height}%`;
    return box;
  });
  const found = h("div.paper", {}, image, boxes);
  found.style.aspectRatio = `${drawn.width} / ${drawn.height}`;
  return found;
}

/** Shows the page at twice its size, or as wide as there is room, with the words in the middle. */
function enlarge(sheet) {
  const found = sheet.querySelector(".paper:not(.text)");
  if (!found) return;
  zoom = zoom === 1 ? 2 : 1;
  found.style.width = `${100 * zoom}%`;
  centre(sheet);
}

async function fillWithText(sheet, wanted, why, signal) {
  try {
    const page = await call("GET", `documents/${wanted.documentId}/pages/${wanted.page}`, { query: { version: wanted.version }, signal });
    // Offsets count characters as Python does; a letter beyond the basic plane is two here.
    const letters = [...page.text];
    const [start, end] = [wanted.start ?? 0, wanted.end ?? 0];
    const part = (from, to) => letters.slice(from, to).join("");
    sheet.replaceChildren(
      h("p.muted.small", {}, t(why)),
      h("div.paper.text", { dir: "auto" }, part(0, start), end > start ? h("mark", {}, part(start, end)) : "", part(end)),
    );
  } catch (error) {
    if (error.name !== "AbortError") sheet.replaceChildren(notice(error, () => fill(sheet, wanted)));
  }
}

export const viewer = { element, open, close, leave, placeOf: () => place };
