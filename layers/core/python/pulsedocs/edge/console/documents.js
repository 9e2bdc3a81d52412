// Documents: added by dropping them, followed through their steps, listed a page at a time.

import { Problem, call, events, isOffline, isPassing, pause, withName } from "./api.js";
import { askOnly } from "./ask.js";
import { confirmed, h, icon, keepingFocus, nameOf, options, shown, spelt } from "./dom.js";
import { loading, notice, paged } from "./notices.js";
import { chosen } from "./session.js";
import { viewer } from "./viewer.js";
import { date, isolated, named, number, saying, t } from "./words.js";

const STEPS = ["UPLOADED", "PROCESSING", "EXTRACTED", "CLEANED", "CHUNKED", "EMBEDDED"];
const AT_ONCE = 3; // uploads
const SHOWN_UPLOADS = 200; // rows of those that are being added; a folder may have thousands
const HASHED_BYTES = 64 * 1024 * 1024; // more is not read into memory twice
const PAGE = 50;
const POLL_MS = 1500;
const ARRIVES_MS = 60_000;
const USABLE = new Set(["PUBLISHED", "DUPLICATE", "SUPERSEDED"]); // or what stands in its place
const UNSENT = { waiting: 1, hashing: 1, sending: 1 };
const RETRYABLE = new Set(["FAILED", "PARKED"]);
const FILTERS = ["PUBLISHED", "FAILED", "PARKED", "REJECTED", "EMPTY", "DUPLICATE", "CANCELLED", "UPLOADED", "PROCESSING"];

/** The languages that a collection can be of on every stage. */
const LANGUAGES = "en ar ca da de el es eu fi fr ga hi hu hy id it ja ko lt ne nl no pl pt ro ru sr sv ta th tr yi zh".split(" ");

const uploads = { items: [], list: null, running: 0, collection: "", language: "", names: null, sent: null, head: null };
const ownLanguage = () => LANGUAGES.find((code) => code === navigator.language.slice(0, 2)) ?? "en";
const doing = (key, name) => t("actionsFor", { action: t(key), name });
const making = new Map(); // collections that are made before their first file goes there, by name

export function documentsSection() {
  const files = h("input", { type: "file", id: "files", multiple: true, hidden: true, onchange: () => (addAll([...files.files]), (files.value = "")) });
  const folder = h("input", { type: "file", id: "folder", webkitdirectory: true, hidden: true, onchange: () => (addAll([...folder.files]), (folder.value = "")) });
  const target = h("input", { id: "target", dir: "auto", maxlength: "128", placeholder: "default", list: "collections", autocomplete: "off", oninput: () => targeted() });
  target.value = uploads.collection;
  const known = h("datalist", { id: "collections" });
  const language = languageField("language-of-texts", t("languageOfTexts"));
  const targeted = () => {
    uploads.collection = target.value.trim();
    language.element.hidden = uploads.names?.has(uploads.collection || "default") ?? true;
    uploads.language = language.element.hidden ? "" : language.chosen();
  };
  language.element.addEventListener("change", targeted);
  uploads.sent = () => {
    // At once: what goes away later moves what somebody is about to press.
    uploads.names?.add(uploads.collection || "default");
    offer();
  };
  uploads.list = h("div.uploads");
  const list = documentList();
  const element = h(
    "section.documents",
    { "aria-labelledby": "documents-title" },
    h("h1", { id: "documents-title" }, t("documents")),
    h(
      "div.dropzone",
      {},
      h("p.drop-lead", {}, t("drop")),
      h("p.muted.small", {}, t("dropAnywhere")),
      h(
        "div.row.center",
        {},
        h("button.primary", { onclick: () => files.click() }, icon("file"), t("chooseFiles")),
        h("button", { onclick: () => folder.click() }, icon("folder"), t("chooseFolder")),
        h("label.row.center", {}, t("intoCollection"), target),
      ),
      language.element,
      files,
      folder,
      known,
    ),
    uploads.list,
    list.element,
  );
  drawUploads();
  const offer = () => {
    const names = [...(uploads.names ?? [])];
    known.replaceChildren(...options(names));
    list.offer(names);
    targeted();
  };
  const refreshed = async () => {
    list.reload();
    try {
      await readNames();
      offer();
    } catch {
      // The list says what is wrong.
    }
  };
  const added = ({ detail: status }) => (status ? list.put(status) : list.reload());
  window.addEventListener("pulsedocs-added", added);
  events.addEventListener("back", refreshed);
  return {
    element,
    entered: refreshed,
    leave() {
      window.removeEventListener("pulsedocs-added", added);
      events.removeEventListener("back", refreshed);
      list.stop();
      uploads.list = uploads.head = null;
      uploads.sent = null;
    },
  };
}

async function readNames() {
  const { collections } = await call("GET", "collections");
  // What is on its way makes its own, whichever answer comes first.
  uploads.names = new Set([...collections.map(({ name }) => name), ...uploads.items.map((item) => item.collection || "default")]);
}

/** Asks for the language of a collection that does not exist yet; first is the reader's own. */
function languageField(id, text) {
  const called = new Intl.DisplayNames([document.documentElement.lang || "en"], { type: "language" });
  const select = h("select", { id }, options(LANGUAGES.map((code) => [code, called.of(code)])));
  select.value = ownLanguage();
  const label = h("label", { for: id }, text);
  return { element: h("div.row.center", { hidden: true }, label, select), chosen: () => select.value };
}

// ------------ adding

/** Takes files and whole folders that were dropped. */
export async function addDropped(transfer) {
  // All at once: what is dropped is gone once the event is over.
  const dropped = [...transfer.items].map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }));
  const found = [];
  for (const { entry, file } of dropped)
    if (entry) await collect(entry, "", found);
    else if (file) found.push(file);
  addAll(found);
}

async function collect(entry, path, found) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push(Object.assign(file, { placed: path + file.name }));
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!batch.length) return;
    for (const each of batch) await collect(each, `${path}${entry.name}/`, found);
  }
}

/**
 * The language of what goes to a collection, null where nothing is to go there. Where its field was not
 * seen, who reads another language than the stage's first is asked before a collection is made in that.
 */
async function languageFor(collection) {
  if (uploads.language || ownLanguage() === "en") return uploads.language;
  if (!uploads.names) await readNames().catch(() => {}); // who is offline is asked
  if (uploads.names?.has(collection)) return "";
  const field = languageField("language-of-new", t("language"));
  field.element.hidden = false;
  return (await confirmed(t("newCollection", { name: collection }), field.element, t("add"), t("cancel"), "primary")) ? field.chosen() : null;
}

async function addAll(files) {
  const { collection } = uploads;
  const language = await languageFor(collection || "default");
  if (language === null) return;
  for (const file of files) {
    const name = file.placed ?? (file.webkitRelativePath || file.name);
    // .DS_Store, .git; by itself nobody chooses one but on purpose
    if (name.includes("/") && name.split("/").some((part) => part.startsWith("."))) continue;
    uploads.items.push({ file, name, collection, language, phase: "waiting", status: null, error: null, stop: new AbortController() });
  }
  uploads.sent?.();
  drawUploads();
  work();
}

events.addEventListener("back", work);
// A page that is left sends nothing more: the browser asks first.
window.addEventListener("beforeunload", (event) => uploads.items.some(({ phase }) => phase in UNSENT) && event.preventDefault());

/** Takes what waits, as long as anybody can be reached. */
function work() {
  while (uploads.running < AT_ONCE && !isOffline) {
    const next = uploads.items.find((item) => item.phase === "waiting");
    if (!next) return;
    uploads.running += 1;
    next.phase = "hashing";
    add(next)
      .catch((error) => {
        next.phase = error.code === "OFFLINE" ? "waiting" : "failed";
        next.error = next.phase === "failed" ? error : null;
      })
      .finally(() => {
        uploads.running -= 1;
        drawUploads();
        work();
      });
  }
}

async function add(item) {
  drawUploads();
  const { file } = item;
  const announced = { filename: item.name, content_type: file.type || "application/octet-stream", size: file.size };
  if (item.collection) announced.collection = item.collection;
  if (file.size <= HASHED_BYTES) announced.sha256 = hex(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  if (item.language && item.language !== "en") await made(item.collection || "default", item.language);
  const registered = await call("POST", "documents", { body: announced, signal: item.stop.signal });
  Object.assign(item, { phase: "sending", id: registered.document_id, gone: 0 });
  drawUploads();
  const form = new FormData();
  for (const [name, value] of Object.entries(registered.upload.fields)) form.append(name, value);
  form.append("file", file);
  try {
    await sent(registered.upload.url, form, item);
  } catch (error) {
    if (item.stop.signal.aborted) call("POST", `documents/${item.id}/cancel`).catch(() => {});
    if (error) throw error;
    await call("GET", "health"); // is it the bucket alone?
    throw new Problem({ detail: t("notArrived") });
  }
  item.phase = "following";
  follow(item);
}

/** Sends a form and tells how much of it has gone. Fails with what the bucket says, or with nothing. */
const sent = (url, form, item) =>
  new Promise((resolve, reject) => {
    const { signal } = item.stop;
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded, total }) => {
      item.gone = loaded / total;
      item.tell?.();
    };
    request.onload = () => (request.status < 300 ? resolve() : reject(new Problem({ detail: t("notTaken", { why: /<Message>([^<]*)/.exec(request.response)?.[1] ?? request.status }) })));
    // A bucket that does not know this page refuses before anything has gone: its answer is not read, the document's state is.
    request.onerror = () => (item.gone ? reject() : fetch(url, { method: "POST", body: form, mode: "no-cors", signal }).then(resolve, () => reject()));
    request.onabort = () => reject();
    signal.onabort = () => request.abort();
    request.open("POST", url);
    request.send(form);
  });

/** Takes a file back that is not with the stage yet. */
function withdraw(item) {
  item.stop.abort();
  uploads.items = uploads.items.filter((each) => each !== item);
  drawUploads();
}

/** Makes a collection of a language, once; one that somebody has made since is as good. */
function made(name, language) {
  if (!making.has(name)) {
    const asked = call("POST", "collections", { body: { name, language } }).catch((problem) => {
      making.delete(name);
      if (problem.code !== "COLLECTION_EXISTS") throw problem;
    });
    making.set(name, asked);
  }
  return making.get(name);
}

const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Asks for a document's state until it has an outcome, less often the longer it takes. */
async function follow(item) {
  let began = performance.now();
  let wait = POLL_MS / 3;
  try {
    for (;;) {
      await pause(wait);
      wait = Math.min(wait * 1.3, 6 * POLL_MS);
      try {
        item.status = await call("GET", `documents/${item.id}`);
      } catch (error) {
        if (!isPassing(error)) throw error;
        began = performance.now();
        continue;
      }
      if (item.status.outcome) break;
      if (!item.status.received_at && performance.now() - began > ARRIVES_MS) throw new Problem({ detail: t("notArrived") });
      drawUploads();
    }
    item.phase = "done";
    item.file = null; // the browser need not keep it
  } catch (error) {
    item.phase = "failed";
    item.error = error;
  }
  drawUploads();
  window.dispatchEvent(new CustomEvent("pulsedocs-added", { detail: item.status }));
}

let drawing = 0;
/** Draws at most once a frame, however many uploads say something. */
function drawUploads() {
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(() => {
    if (!uploads.list) return;
    if (!uploads.items.length) {
      uploads.list.replaceChildren();
      uploads.head = null;
      return;
    }
    if (!uploads.head) {
      uploads.head = uploadsHead();
      uploads.list.replaceChildren(uploads.head.element, h("ul.bare.rows", { tabindex: "0", "aria-label": t("underway") })); // it scrolls by itself
    }
    const over = uploads.items.filter(({ phase }) => phase === "done" || phase === "failed");
    const done = over.filter(({ status }) => USABLE.has(status?.outcome)).length;
    const failed = over.length - done;
    const isOver = over.length === uploads.items.length;
    const order = { failed: 0, following: 1, sending: 1, hashing: 1, waiting: 2, done: 3 };
    const sorted = [...uploads.items].sort((a, b) => order[a.phase] - order[b.phase]).slice(0, SHOWN_UPLOADS);
    uploads.head.say(isOver, [t("finished", { done: number(done), total: number(uploads.items.length) }), failed ? t("failedUploads", { count: failed }) : ""].filter(Boolean).join(" · "));
    const rows = uploads.list.lastElementChild;
    keepingFocus(rows, () => rows.replaceChildren(...sorted.map(uploadRow)));
  });
}

/** What is said above the uploads, in elements that stay: only then screen readers say what changes. */
function uploadsHead() {
  const title = h("h2");
  const told = h("span.muted", { role: "status" });
  const hide = h("button.quiet.push", { onclick: () => ((uploads.items = []), drawUploads(), document.querySelector(".dropzone button").focus()) }, t("hide"));
  const say = (isOver, text) => {
    title.textContent = t(isOver ? "allAdded" : "underway");
    if (told.textContent !== text) told.textContent = text;
    hide.hidden = !isOver;
  };
  return { element: h("div.row", {}, title, told, hide), say };
}

function sendAgain(item) {
  Object.assign(item, { phase: "waiting", status: null, error: null });
  drawUploads();
  work();
}

/** What a stage refuses as such it refuses again; a session is renewed, and what did not arrive has no status. */
const mayPass = (error) => isPassing(error) || !error.status || error.status === 401;

function uploadRow(item) {
  const name = spelt(item.name);
  const again = () => h("button.quiet", { "aria-label": doing("tryAgain", name), onclick: () => sendAgain(item) }, t("tryAgain"));
  const isHere = item.phase in UNSENT;
  const stop = () => isHere && h("div.actions.row", {}, h("button.quiet", { "aria-label": doing("cancel", name), onclick: () => withdraw(item) }, t("cancel")));
  const state = item.error
    ? h("div.state", {}, h("span.badge.bad", {}, t(mayPass(item.error) ? "o_FAILED" : "o_REJECTED")), mayPass(item.error) ? again() : null)
    : item.status
      ? stateOf(item.status)
      : item.phase === "sending"
        ? sending(item, name)
        : h("div.state", {}, h("span.badge", {}, t(isHere ? item.phase : "s_UPLOADED")));
  return h(
    "li.doc",
    {},
    h("div.doc-main", {}, h("span.doc-name", { dir: "auto" }, name), item.error ? h("p.bad.small", {}, saying(item.error)) : item.status ? troubles(item.status) : null),
    state,
    stop(),
  );
}

/** How much of a file has gone, which is not known where the bucket does not know this page. */
function sending(item, name) {
  const bar = h("progress", { max: 1, "aria-label": doing("sending", name) });
  const told = h("span.small.muted");
  item.tell = () => {
    if (item.gone) bar.value = item.gone;
    told.textContent = `${t("sending")} ${item.gone ? number(item.gone, { style: "percent" }) : "…"}`;
  };
  item.tell();
  return h("div.state", {}, bar, told);
}

// ------------ list

function documentList() {
  const rows = h("ul.bare.rows", { "aria-label": t("documents"), tabindex: "-1" });
  const foot = h("div.row.center.list-foot");
  const state = h("select", { id: "filter-state" }, options([["", t("anyState")], ...FILTERS.map((name) => [name, named(STEPS.includes(name) ? "s" : "o", name)])]));
  const collection = h("select", { id: "filter-collection" }, options([["", t("anyCollection")]]));
  const name = h("input", { id: "filter-name", dir: "auto", placeholder: t("nameHint"), maxlength: "500", autocomplete: "off" });
  const form = h(
    "form.filters.row",
    { onsubmit: (event) => (event.preventDefault(), reload()) },
    h("div", {}, h("label", { for: "filter-state" }, t("filterState")), state),
    h("div", {}, h("label", { for: "filter-collection" }, t("filterCollection")), collection),
    h("div.grow", {}, h("label", { for: "filter-name" }, t("filterName")), name),
    h("button", {}, t("apply")),
    h("button.quiet", { onclick: () => (form.reset(), reload()) }, t("clear")),
  );
  const { filters } = chosen;
  collection.append(...options(filters.collection ? [filters.collection] : []));
  for (const [field, kept] of [[state, filters.state], [collection, filters.collection], [name, filters.name]]) field.value = kept ?? "";
  for (const each of [state, collection]) each.addEventListener("change", () => reload());
  async function read(cursor, signal) {
    const query = {
      limit: PAGE, cursor, state: state.value, collection: collection.value,
      filter: name.value.trim() ? JSON.stringify(withName(name.value.trim())) : "",
    };
    const found = await call("GET", "documents", { query, signal });
    return { rows: found.documents.map((each) => documentRow(each, list)), cursor: found.cursor };
  }

  const isFiltered = () => Boolean(state.value || collection.value || name.value.trim());

  function told(cursor) {
    const count = number(rows.childElementCount);
    const key = rows.childElementCount ? (cursor ? "showing" : "allShown") : isFiltered() ? "none" : "noneYet";
    return h("span.muted", {}, t(key, { count }));
  }

  const { reload: restart, tell, stop } = paged(rows, foot, read, told);

  function reload() {
    chosen.filters = { state: state.value, collection: collection.value, name: name.value };
    return restart();
  }

  const rowOf = (id) => [...rows.children].find(({ dataset }) => dataset.id === id);

  /** Shows a document as it is now: in its row, or above the others, where the list is all of them. */
  function put(status) {
    const row = rowOf(status.document_id);
    if (!row && isFiltered()) return reload();
    const made = documentRow(status, list);
    if (row) return keepingFocus(rows, () => row.replaceWith(made), made.querySelector("button"));
    rows.prepend(made);
    return tell();
  }

  function gone(id) {
    rowOf(id)?.remove();
    tell();
    rows.focus(); // the button that was pressed has gone with its row
  }

  const list = {
    element: h("div.list", {}, form, rows, foot),
    reload,
    put,
    gone,
    offer: (names) => {
      const offered = new Set([...collection.options].map(({ value }) => value));
      const added = names.filter((each) => !offered.has(each));
      collection.append(...options(added));
    },
    stop,
  };
  return list;
}

function documentRow(status, list) {
  const name = nameOf(status);
  const pages = status.pages.total;
  const facts = [
    status.title && status.title !== status.source ? isolated(spelt(status.source)) : "",
    status.collection,
    pages ? t("pages", { count: number(pages) }) : "",
    pages && status.pages.empty ? t("pagesEmpty", { count: number(status.pages.empty) }) : "",
    status.chunks ? t("chunks", { count: number(status.chunks) }) : "",
    status.version > 1 ? t("version", { version: status.version }) : "",
    date(status.received_at ?? status.created_at),
  ].filter(Boolean);
  const canShow = pages > 0 && status.published_version !== null;
  const row = h(
    "li.doc",
    { "data-id": status.document_id },
    h(
      "div.doc-main",
      {},
      canShow
        ? h("button.link.doc-name", { dir: "auto", "aria-label": doing("open", name), onclick: () => viewer.open({ documentId: status.document_id, type: status.content_type, source: status.source, title: status.title, page: 1, total: pages }) }, name)
        : h("span.doc-name", { dir: "auto" }, name),
      h("p.muted.small", {}, facts.join(" · ")),
      troubles(status),
      status.version > 1 ? earlierVersions(status, name) : null,
    ),
    stateOf(status),
    actions(status, name, canShow, list),
  );
  if (!status.outcome) refreshLater(row, status, list);
  return row;
}

/** What was sent before, and what took its place; its pages can be opened as long as they are stored. */
function earlierVersions(status, name) {
  const rows = h("ul.bare");
  const foot = h("div.row");
  const summary = h("summary", { "aria-label": doing("earlier", name) }, t("earlier"));
  const element = h("details.small.earlier", { ontoggle: () => element.open && !rows.childElementCount && reload() }, summary, rows, foot);
  const { reload } = paged(rows, foot, read);

  async function read(cursor, signal) {
    const found = await call("GET", `documents/${status.document_id}/versions`, { query: { cursor }, signal });
    return { rows: found.versions.filter(({ version }) => version !== status.version).map((each) => versionRow(each, status, name)), cursor: found.cursor };
  }

  return element;
}

function versionRow({ version, outcome, state, content_type: type, pages, replaced_by: next, is_published: isPublished, is_stored: isStored, received_at: sent, registered_at: announced }, status, name) {
  const label = t("version", { version });
  const canOpen = isStored && pages > 0;
  const place = { documentId: status.document_id, version, type, earlier: !isPublished, source: status.source, title: status.title, page: 1, total: pages };
  const facts = [
    date(sent ?? announced), pages ? t("pages", { count: number(pages) }) : "",
    next ? t("replacedBy", { version: next }) : outcome ? named("o", outcome) : named("s", state), canOpen || !pages ? "" : t("notStored"),
  ].filter(Boolean);
  return h(
    "li",
    {},
    canOpen ? h("button.link", { "aria-label": t("actionsFor", { action: `${t("open")}, ${label}`, name }), onclick: () => viewer.open(place) }, label) : label,
    h("span.muted", {}, ` · ${facts.join(" · ")}`),
  );
}

async function refreshLater(row, status, list) {
  await pause(2 * POLL_MS);
  if (!row.isConnected) return;
  try {
    const now = await call("GET", `documents/${status.document_id}`);
    if (row.isConnected) list.put(now);
  } catch (error) {
    if (error.status === 404) row.remove();
    else refreshLater(row, status, list);
  }
}

/** What is missing of a document, in words: its error, its pages, its warnings. */
function troubles(status) {
  const { pages, error, warnings } = status;
  const said = [];
  if (error) said.push(h("p.bad.small", {}, saying(error)));
  if (pages.failed) said.push(h("p.warn.small", {}, t("pagesFailed", { count: number(pages.failed), total: number(pages.total) })));
  const [first, ...others] = warnings.map((message) => saying({ message }));
  if (others.length) said.push(h("details.small", {}, h("summary", {}, first), h("ul", {}, others.slice(0, 50).map((text) => h("li", {}, text)))));
  else if (first) said.push(h("p.warn.small", {}, first));
  return h("div.troubles", {}, said);
}

function stateOf(status) {
  if (status.outcome) {
    // Sent again unchanged, a document is as it was.
    const outcome = status.outcome === "DUPLICATE" && status.published_version !== null ? "PUBLISHED" : status.outcome;
    const kind = outcome === "PUBLISHED" ? "good" : RETRYABLE.has(outcome) || outcome === "REJECTED" ? "bad" : "";
    return h("div.state", {}, h("span", { class: `badge ${kind}` }, status.error?.code === "BUDGET_EXCEEDED" ? t("o_BUDGET_EXCEEDED") : named("o", outcome)));
  }
  const done = STEPS.indexOf(status.state) + 1;
  const label = t("stepsOf", { done, total: STEPS.length, step: named("s", status.state) });
  return h(
    "div.state",
    {},
    h("progress", { max: STEPS.length + 1, value: done, "aria-label": label }),
    h("span.small.muted", {}, named("s", status.state), " …"),
  );
}

function actions(status, name, canShow, list) {
  const act = (key, kind, action) => h("button", { class: `quiet ${kind}`, "aria-label": doing(key, name), onclick: action }, t(key));
  const run = (path) => async () => {
    try {
      await call("POST", `documents/${status.document_id}/${path}`);
      list.put(await call("GET", `documents/${status.document_id}`));
    } catch (error) {
      shown(t("problem"), "", notice(error));
    }
  };
  return h(
    "div.actions.row",
    {},
    canShow ? act("askThis", "", () => askOnly({ id: status.document_id, name, collection: status.collection })) : null,
    RETRYABLE.has(status.outcome) ? act("tryAgain", "", run("retry")) : null,
    status.outcome ? null : act("cancel", "", run("cancel")),
    act("delete", "danger-text", () => remove(status, name, list)),
  );
}

async function remove(status, name, list) {
  if (!(await confirmed(t("deleteTitle", { name }), t("deleteText"), t("delete"), t("keep")))) return;
  try {
    const { receipt_id: receipt } = await call("DELETE", `documents/${status.document_id}`);
    if (viewer.placeOf()?.documentId === status.document_id) viewer.close();
    list.gone(status.document_id);
    await showReceipt(receipt);
  } catch (error) {
    shown(t("problem"), "", notice(error));
  }
}

const COUNTED = ["pages", "chunks", "embeddings", "objects", "versions"];

/** What a receipt counts, in words; what only the stage knows by name is one number. */
function counted(found) {
  if (!found) return t("pending");
  const others = Object.entries(found).filter(([what]) => !COUNTED.includes(what)).reduce((sum, [, many]) => sum + many, 0);
  const counts = [...COUNTED.map((what) => [what, found[what] ?? 0]), ["others", others]].filter(([, many]) => many > 0);
  return counts.map(([what, many]) => `${t(`c_${what}`)} ${number(many)}`).join(", ") || t("nothing");
}

/** Shows a receipt, and follows it until what it is of has gone. */
export async function showReceipt(id) {
  const facts = h("div.receipt", { "aria-live": "polite" }, loading());
  const dialog = shown(t("receipt"), "", facts);
  while (dialog.isConnected) {
    let found;
    try {
      found = await call("GET", `deletions/${encodeURIComponent(id)}`);
    } catch (error) {
      facts.replaceChildren(notice(error));
      return;
    }
    const rows = [
      [t("receiptNumber"), found.receipt_id], [t("requestedAt"), date(found.requested_at)], [t("requestedBy"), found.requested_by],
      [t("completedAt"), found.completed_at ? date(found.completed_at) : t("pending")], [t("before"), counted(found.before)], [t("after"), counted(found.after)],
    ];
    facts.replaceChildren(h("dl", {}, rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)])));
    if (found.completed_at) return;
    await pause(POLL_MS);
  }
}
