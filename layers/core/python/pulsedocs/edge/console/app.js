// The frame of the console: sign-in, sections, and what is said about the stage as a whole.

import { call, events, isOffline } from "./api.js";
import { askSection, stopAnswer } from "./ask.js";
import { compareSection } from "./compare.js";
import { h, icon } from "./dom.js";
import { addDropped, documentsSection } from "./documents.js";
import { operationsSection } from "./operations.js";
import { begin, called, claims, forget, hasSignInPage, keep, leaveToSignIn, recall, signOut, token, who } from "./session.js";
import { viewer } from "./viewer.js";
import { LANGUAGES, chooseLanguage, language, t } from "./words.js";

const app = document.getElementById("app");
const BACK_MS = 4000; // that it says it is back
const SECTIONS = { ask: askSection, documents: documentsSection, compare: compareSection, operations: operationsSection };

function languageChoice() {
  const select = h(
    "select",
    {
      class: "language",
      "aria-label": t("language"),
      onchange: () => {
        chooseLanguage(select.value);
        show();
        document.querySelector(".language").focus();
      },
    },
    Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code }, name)),
  );
  select.value = language();
  return select;
}

function signInPage(message) {
  document.title = `${t("signIn")} · PulseDocs`;
  const error = h("p.error", { role: "alert", id: "sign-in-error" }, message ?? "");
  const field = h("textarea", { id: "token", rows: "4", autocomplete: "off", spellcheck: "false", "aria-describedby": "token-help sign-in-error" });
  const form = h(
    "form",
    {
      onsubmit: (event) => {
        event.preventDefault();
        if (keep(field.value)) show();
        else error.textContent = t("badToken");
      },
    },
    h("label", { for: "token" }, t("tokenLabel")),
    field,
    h("p.hint", { id: "token-help" }, t("tokenHelp")),
    h("button.primary.wide", {}, t("signIn")),
  );
  const pool = h("button.primary.wide", { onclick: leaveToSignIn }, t("signInPool"));
  app.replaceChildren(
    h(
      "main.sign-in",
      {},
      h("div.mark", {}, icon("pulse")),
      h("h1", {}, "PulseDocs"),
      h("p.lead", {}, t("signInLead")),
      error,
      hasSignInPage() ? pool : form,
      h("div.row.center", {}, languageChoice()),
    ),
  );
  (hasSignInPage() ? pool : field).focus();
}

let current = null;
let whose = null; // the conversation and the uploads that this page holds

function frame() {
  const main = h("main", { id: "content", tabindex: "-1" });
  const links = Object.keys(SECTIONS).map((name) => h("a", { href: `#${name}`, "data-section": name }, t(name)));
  const person = claims();
  app.replaceChildren(
    h("a.skip", { href: "#content", onclick: (event) => (event.preventDefault(), main.focus()) }, t("skip")),
    h(
      "header.top",
      {},
      h("a.brand", { href: "#ask" }, h("span.mark", {}, icon("pulse")), h("span", {}, "PulseDocs")),
      h("nav", { "aria-label": t("sections") }, links),
      h(
        "div.account",
        {},
        h("span.who", { title: person.tenant_id ?? "" }, called(person)),
        h("a.plain", { href: "docs" }, t("apiDocs")),
        languageChoice(),
        h("button.quiet", { onclick: () => (signOut(), show()) }, t("signOut")),
      ),
    ),
    h("div", { id: "stage", role: "status", hidden: true }),
    h("div.work", {}, main, viewer.element()),
  );
  return main;
}

function route() {
  const [name, argument] = location.hash.slice(1).split("/");
  const section = name in SECTIONS ? name : "ask";
  document.title = `${t(section)} · PulseDocs`;
  for (const link of document.querySelectorAll("nav a"))
    if (link.dataset.section === section) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  current?.leave?.();
  viewer.close();
  current = SECTIONS[section](argument);
  document.getElementById("content").replaceChildren(current.element);
  window.scrollTo(0, 0); // each section begins at its head
  current.entered?.();
}

function show(message) {
  viewer.close();
  current?.leave?.();
  current = null;
  document.documentElement.lang = language();
  if (!token()) {
    stopAnswer();
    signInPage(message);
    return;
  }
  const now = who();
  if (whose !== null && whose !== now) {
    location.reload(); // nothing of another person stays on the page, or in its memory
    return;
  }
  if (whose === null) recall(now);
  whose = now;
  frame();
  route();
}

let message = null;
function say(text, kind = "") {
  const bar = document.getElementById("stage");
  if (!bar) return;
  bar.textContent = text;
  bar.className = kind;
  bar.hidden = !text;
  message = text;
}

events.addEventListener("offline", () => say(t("offline"), "warn"));
events.addEventListener("waiting", (event) => say(event.detail, "warn"));
events.addEventListener("back", () => {
  say(t("backOnline"));
  setTimeout(() => message === t("backOnline") && say(""), BACK_MS);
});
events.addEventListener("ready", () => message && message !== t("backOnline") && say(""));
events.addEventListener("expired", () => {
  if (!token()) return; // signed out since
  forget();
  show(t("expired"));
});
// A browser that comes back asks for the cheapest thing there is.
window.addEventListener("online", () => isOffline && call("GET", "health").catch(() => {}));
setInterval(() => isOffline && token() && call("GET", "health").catch(() => {}), 5000);

window.addEventListener("hashchange", () => {
  if (new URLSearchParams(location.hash.slice(1)).has("token")) location.reload();
  else if (token()) route();
});

// Files may be dropped anywhere; without this a browser leaves the console to show them.
let depth = 0;
const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
window.addEventListener("dragenter", (event) => {
  if (!hasFiles(event) || !token()) return;
  depth += 1;
  document.body.dataset.dropping = t("dropNow");
});
window.addEventListener("dragleave", (event) => {
  if (!hasFiles(event)) return;
  depth = Math.max(0, depth - 1);
  if (!depth) delete document.body.dataset.dropping;
});
window.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
window.addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  depth = 0;
  delete document.body.dataset.dropping;
  if (!token()) return;
  addDropped(event.dataTransfer);
  if (!location.hash.startsWith("#documents")) location.hash = "documents";
});

try {
  await begin();
  show();
} catch (error) {
  show(t("signInFailed", { why: error.message }));
}
