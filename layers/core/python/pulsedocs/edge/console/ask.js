// Questions and answers: the text as it comes, each citation a button that opens its page.

import { Problem, call, lines } from "./api.js";
import { h, icon, options, spelt } from "./dom.js";
import { judging } from "./judge.js";
import { loading, notice } from "./notices.js";
import { talkList } from "./talks.js";
import { chosen } from "./session.js";
import { marks, viewer } from "./viewer.js";
import { named, number, t } from "./words.js";
import { openWhy } from "./why.js";

const MOST_COLLECTIONS = 20; // that one question may name

// What was asked stays while sections change; the address names the conversation once the stage keeps it.
const talk = { conversation: crypto.randomUUID(), isKept: false, turns: [], running: null };

// Of the answer that is being written, whichever section is shown: it goes on meanwhile.
const send = h("button.primary.round");
// Beside the answer, which is written anew with each sentence: what is new alone is read aloud.
const aloud = h("div.unseen", { "aria-live": "polite" });

// Fields with columns of their own, whose type is known; all others are keys of the metadata.
const MOST_TURNS = 50; // pulsedocs/model/conversations.py
const BUILT_IN = new Set(["document_id", "source", "title", "content_type", "content_date", "created_at"]);

const TRUTHS = new Map([["true", true], ["false", false]]);

export function askOnly(document) {
  chosen.only = document;
  location.hash = "ask";
}

export const stopAnswer = () => talk.running?.abort();

function drawSend() {
  const label = t(talk.running ? "stop" : "ask");
  send.replaceChildren(icon(talk.running ? "close" : "up"));
  send.setAttribute("aria-label", label);
  send.title = label;
}

export function askSection(wanted) {
  let collections = [];
  let reading = null;
  const turns = h("div.turns", {}, talk.turns);
  const field = h("textarea", {
    id: "question", dir: "auto", rows: "1", maxlength: "8000", placeholder: t("askTitle"), "aria-label": t("question"),
    onkeydown: (event) => {
      if (event.key === "Escape") viewer.leave(); // it may have opened by itself
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      ask();
    },
    oninput: () => {
      chosen.draft = field.value;
      field.style.height = "auto";
      field.style.height = `${Math.min(field.scrollHeight, 220)}px`;
    },
  });
  field.value = chosen.draft;
  drawSend();
  const place = h("div.row");
  const another = h("button.quiet.push", { title: t("newTalk"), onclick: begin }, icon("plus"), h("span.spelt", {}, t("newTalk")));
  const form = h(
    "form.composer",
    { onsubmit: (event) => (event.preventDefault(), talk.running ? stopAnswer() : ask()) },
    h("div.composer-line", {}, field, send),
    h("div.scope.row", {}, place, byMetadata(), another),
  );
  const welcome = h("div.welcome", {}, h("p.headline", {}, t("askTitle")), h("p.lead", {}, t("askLead")));
  const talks = talkList({ isOpen: (id) => id === talk.conversation, open, deleted: (id) => id === talk.conversation && begin() });
  const element = h("section.ask", { "aria-label": t("ask") }, h("h1.unseen", {}, t("ask")), talks.element, welcome, turns, form, aloud);
  welcome.hidden = talk.turns.length > 0;

  /** Reads the collections once; where that failed, the next question reads them again. */
  function readCollections() {
    reading ??= call("GET", "collections").then(
      (found) => {
        ({ collections } = found);
        drawScope();
      },
      (error) => {
        reading = null;
        throw error;
      },
    );
    return reading;
  }

  function drawScope() {
    const isInside = place.contains(document.activeElement);
    if (chosen.only) {
      place.replaceChildren(
        h(
          "span.chip",
          {},
          h("span.chip-text", {}, t("onlyIn", { name: chosen.only.name })),
          h("button.quiet.small", { "aria-label": t("removeScope"), onclick: () => ((chosen.only = null), drawScope()) }, icon("close")),
        ),
      );
    } else {
      // Vectors of two models do not compare: such collections are asked one at a time.
      const isOneModel = new Set(collections.map(({ model }) => model)).size < 2;
      const filled = collections.filter(({ documents }) => documents > 0).length;
      const all = filled > MOST_COLLECTIONS ? t("notAll", { most: MOST_COLLECTIONS, count: number(filled) }) : t("all");
      const select = h(
        "select",
        { id: "scope", onchange: () => (chosen.collection = select.value) },
        options([...(isOneModel ? [["", all]] : []), ...collections.map(({ name }) => name)]),
      );
      const names = collections.map(({ name }) => name);
      const first = isOneModel ? "" : names.includes("default") ? "default" : names[0];
      select.value = names.includes(chosen.collection) ? chosen.collection : first;
      if (names.length) chosen.collection = select.value;
      place.replaceChildren(h("label", { for: "scope", class: "spelt" }, t("searchIn")), select);
    }
    another.hidden = !talk.turns.length;
    if (isInside) place.querySelector("select, button").focus();
  }

  function begin() {
    stopAnswer();
    viewer.close();
    show(crypto.randomUUID(), []);
  }

  /** What can be opened again has an address: it holds no word of the conversation, which is its person's alone. */
  const address = () => element.isConnected && history.replaceState(history.state, "", talk.isKept ? `#ask/${talk.conversation}` : "#ask");

  function show(conversation, shown) {
    Object.assign(talk, { conversation, turns: shown, isKept: shown.length > 0 });
    address();
    turns.replaceChildren(...shown);
    welcome.hidden = shown.length > 0;
    talks.fold();
    drawScope();
    field.focus({ preventScroll: true });
    shown.at(-1)?.scrollIntoView({ block: "end" });
  }

  /** Shows a conversation as it was led; the next question goes on with it. */
  async function open(id) {
    stopAnswer();
    viewer.close();
    welcome.hidden = true;
    turns.replaceChildren(loading());
    try {
      const kept = (await call("GET", `conversations/${id}`)).turns;
      const said = kept.length < MOST_TURNS ? [] : [h("p.muted.small", {}, t("lastKept", { count: MOST_TURNS }))];
      show(id, [...said, ...kept.map(keptTurn)]);
      const cited = citedAt(0, storedOf(kept.at(-1)?.citations ?? []));
      if (cited) viewer.open(placeOf(cited), { focus: false });
    } catch (error) {
      turns.replaceChildren(notice(error, () => open(id)));
    }
  }

  /** One key of the documents' metadata and its value; both have to be given. */
  function byMetadata() {
    const pair = h("span.badge");
    const tell = () => {
      pair.hidden = !(chosen.key && chosen.value);
      pair.replaceChildren(h("bdi", {}, chosen.key), " = ", h("bdi", {}, chosen.value));
    };
    const part = (name, word) => {
      const input = h("input", { id: `scope-${name}`, dir: "auto", maxlength: "128", autocomplete: "off", "aria-label": t(word), placeholder: t(word), oninput: () => ((chosen[name] = input.value.trim()), tell()) });
      input.value = chosen[name];
      return input;
    };
    tell();
    return h("details.metadata", { open: Boolean(chosen.key && chosen.value) }, h("summary", {}, t("byMetadata"), " ", pair), h("div.row", {}, part("key", "metadataKey"), "=", part("value", "metadataValue")));
  }

  async function scopeOf() {
    await readCollections(); // all of a list that is not there would be the default one alone
    const { key, value } = chosen;
    if (!key || !value) return where();
    // `2024` or `true` may be kept as what it says, or as text.
    const meant = TRUTHS.get(value) ?? (Number.isFinite(Number(value)) ? Number(value) : value);
    return { ...where(), filters: { [key]: { $in: BUILT_IN.has(key) ? [value] : [...new Set([value, meant])] } } };
  }

  function where() {
    if (chosen.only) return { document_ids: [chosen.only.id], collection: chosen.only.collection };
    if (chosen.collection) return { collection: chosen.collection };
    const filledFirst = [...collections].sort((a, b) => (b.documents > 0) - (a.documents > 0));
    const names = filledFirst.map(({ name }) => name).slice(0, MOST_COLLECTIONS);
    return names.length > 1 ? { collections: names } : names.length ? { collection: names[0] } : {};
  }

  async function ask(text = field.value.trim()) {
    if (!text || talk.running) return;
    field.value = chosen.draft = "";
    field.style.height = "auto";
    welcome.hidden = true;
    const turn = h("article.turn", {}, h("h2.asked", { dir: "auto" }, text));
    talk.turns.push(turn);
    talks.fold();
    turns.append(turn);
    drawScope();
    await answer(turn, text);
  }

  async function answer(turn, question, kept = null) {
    talk.running = new AbortController();
    drawSend();
    const said = h("p.said", { dir: "auto" }, h("span.looking", {}, t("looking")));
    const card = h("div.answer", { "aria-busy": "true" }, said);
    turn.append(card);
    card.scrollIntoView({ block: "nearest" });
    aloud.replaceChildren(t("looking"));
    let spoken = "";
    let last = ""; // read aloud when it is known to be no refusal, whose words are the console's
    let exact = ""; // what was signed for, to the letter
    let found = { citations: [], coverage: [] };
    let asked = kept;
    try {
      asked ??= await scopeOf();
      const body = { question, conversation_id: talk.conversation, ...asked };
      for await (const line of lines("ask/stream", { body, signal: talk.running.signal })) {
        if (line.type === "text") {
          if (last) aloud.append(h("p", {}, last));
          last = line.text.trim();
          exact += line.text;
          spoken += spoken ? ` ${line.text.trim()}` : line.text.trim();
          said.replaceChildren(spoken);
        } else if (line.type === "sources") found = line;
        else if (line.type === "done") {
          finish(card, said, spoken, { ...found, ...line, question, asked, exact });
          talk.isKept ||= !line.degraded.includes("conversation");
          address();
          aloud.append(h("p", {}, line.abstained ? card.querySelector(".told").textContent : last));
        }
        else if (line.type === "error") throw new Problem(line);
      }
    } catch (error) {
      if (error.name === "AbortError") said.append(h("span.muted", {}, ` ${t("stopped")}`));
      else card.replaceChildren(notice(error, () => (card.remove(), answer(turn, question, asked))));
    } finally {
      talk.running = null;
      card.setAttribute("aria-busy", "false");
      card.scrollIntoView({ block: "nearest" });
      drawSend();
    }
  }

  return {
    element,
    async entered() {
      drawScope();
      field.focus({ preventScroll: true });
      if (wanted && wanted !== talk.conversation) open(wanted);
      else address();
      try {
        await readCollections();
        const isEmpty = !collections.some(({ documents }) => documents > 0);
        if (isEmpty && !talk.turns.length && !wanted)
          welcome.append(h("p", {}, t("noDocuments")), h("a.button.primary", { href: "#documents" }, t("addFirst")));
      } catch (error) {
        if (error.status !== 401) turns.append(notice(error));
      }
    },
  };
}

function pageName({ page, page_label: label, source }) {
  if (!label || label === String(page)) return t("page", { page });
  return source.toLowerCase().endsWith(".xlsx") ? t("sheet", { label }) : t("pagePrinted", { page, label });
}

const placeOf = (citation) => ({
  documentId: citation.document_id, version: citation.version, source: citation.source, title: citation.title, page: citation.page,
  start: citation.start, end: citation.end, quote: citation.quote, ocr: citation.ocr, confidence: citation.confidence, doubtful: citation.doubtful_words,
});

function finish(card, said, spoken, answer) {
  const isShown = card.isConnected; // else the page that is open is another section's
  if (answer.abstained) {
    if (isShown) viewer.leave(); // what stands there is of another answer
    card.replaceChildren(refusal(answer.abstained, answer.coverage, answer.degraded));
  } else {
    said.replaceChildren(...withMarkers(spoken, answer.citations));
    if (answer.note) card.append(h("p.hint", {}, answer.note.message));
    card.append(evidence(answer.citations));
  }
  if (answer.model && !answer.abstained) card.append(h("p.muted.small", {}, answer.model === "extractive" ? t("extractive") : t("model", { model: answer.model })));
  card.append(...limits(answer), ...footOf(card, answer.abstained ? null : spoken, answer));
  const shown = citedAt(0, answer.citations);
  if (shown && isShown) viewer.open(placeOf(shown), { focus: false });
}

const storedOf = (citations) => citations.filter(({ quote }) => quote !== null);

/** A turn of a conversation that is opened again. */
function keptTurn({ question, answer: text, trace_id, refused_for: reason, citations, feedback }) {
  const stored = storedOf(citations);
  const answer = { question, exact: text, trace_id, citations: stored, feedback };
  const said = reason ? refusal({ reason, message: text }, null) : h("p.said", { dir: "auto" }, withMarkers(text, stored));
  const card = h("div.answer", {}, said, reason ? "" : evidence(stored));
  if (stored.length < citations.length) card.append(h("p.limit.small", {}, t("citedBefore")));
  card.append(...footOf(card, reason ? null : text, answer));
  return h("article.turn", {}, h("h2.asked", { dir: "auto" }, question), card);
}

/** What can be done with an answer; a refusal has no `text` to copy. */
function footOf(card, text, answer) {
  const judged = judging(answer);
  const why = h("button.quiet", { onclick: () => openWhy(answer) }, t("why"));
  return [h("div.row.foot", {}, why, text === null ? "" : copyButton(text, answer.citations), proofButton(card, answer), judged.buttons), judged.form];
}

/** The answer's text, its markers `[n]` as buttons. */
export function withMarkers(text, citations) {
  return text.split(/(\[[1-9]\d*\])/).map((part, at) => {
    const citation = at % 2 && citedAt((at - 1) / 2, citations, Number(part.slice(1, -1)));
    return citation ? marker(citation) : part;
  });
}

/**
 * What a marker opens. Of a table its head comes first, and the row behind it is the answer. Turns
 * that an older release kept have numbers only.
 */
const citedAt = (at, citations, n) =>
  citations.findLast(({ markers }) => markers?.includes(at)) ?? citations.findLast((each) => each.n === n && !each.markers?.length);

function marker(citation) {
  const label = t("openCitation", { n: citation.n, source: spelt(citation.source), page: citation.page });
  return h("button.marker", { "aria-label": label, title: label, onclick: () => viewer.open(placeOf(citation)) }, String(citation.n));
}

export function evidence(citations) {
  return citations.length ? h("div.where-it-stands", {}, h("h3", {}, t("sources")), cited(citations)) : "";
}

/** Quotes below the page they stand on, each once: the head of a table is cited with every row. */
function cited(citations) {
  const pages = new Map();
  for (const each of citations) {
    const page = [each.document_id, each.version, each.page].join("/");
    if (!pages.has(page)) pages.set(page, new Map());
    pages.get(page).set([each.n, each.start, each.end].join("/"), each);
  }
  const items = [...pages.values()].map((onPage) => {
    const [first, ...others] = onPage.values();
    return h("li", {}, h("p.evidence-source", {}, nameOf(first), h("span.muted", {}, ` · ${pageName(first)}`)), [first, ...others].map(quoteOf));
  });
  return h("ol.bare.cited", {}, items);
}

const nameOf = ({ title, source }) => (title && title !== source ? [h("bdi", {}, spelt(title)), h("span.muted", {}, " · ", h("bdi", {}, spelt(source)))] : [h("bdi", {}, spelt(source))]);

function quoteOf(citation) {
  return h(
    "button.evidence",
    { onclick: () => viewer.open(placeOf(citation)) },
    citation.n ? h("span.number", { "aria-hidden": "true" }, String(citation.n)) : null,
    h("span.evidence-quote", { dir: "auto" }, citation.quote.replace(/\s+/g, " "), " ", marks(citation)),
  );
}

const NOT_THERE = new Set(["BELOW_THRESHOLD", "NO_CANDIDATES"]);

/**
 * Where a part of the documents could not be seen, or a passage is near, nobody can say that they do
 * not contain it. `coverage` is null where it is not known.
 */
export function refusal({ reason, message, nearest }, coverage, degraded = []) {
  const known = degraded.includes("language") ? t("languageUnknown") : named("r", reason);
  const isCertain = NOT_THERE.has(reason) && coverage?.length === 0 && !degraded.length && !nearest;
  return h(
    "div.notice.refusal",
    {},
    h("div.told", {}, h("strong", {}, icon("none"), t(isCertain ? "notFound" : "noAnswer")), " ", h("p", {}, known === reason ? message : known)),
    nearest ? h("div.nearest", {}, h("h3", {}, t("nearest")), cited([nearest])) : null,
  );
}

// Their loss is the same to a reader.
const SAME = { embedding: "vector_leg", similarity: "vector_leg", words: "sentences", hyde: "input_stage", usage: "trace", conversation: "trace" };

/** What the answer could not see, or did without. */
function limits({ coverage = [], degraded = [] }) {
  const said = [];
  for (const each of coverage) {
    if (each.pages_unreadable) said.push(t("coverage", { unread: each.pages_unreadable, total: each.pages_total }));
    if (each.chunks_without_vectors) said.push(t("noVectors", { count: each.chunks_without_vectors }));
  }
  const lost = new Set(degraded.map((each) => named("d", SAME[each] ?? each)));
  if (lost.size) said.push(t("degraded", { what: [...lost].join(", ") }));
  return said.map((text) => h("p.limit.small", {}, text));
}

/** Saves the answer as a signed file that shows where its words stand, without the stage. */
function proofButton(card, { question, exact, trace_id: trace }) {
  const save = async () => {
    button.disabled = true;
    try {
      const { filename, html } = await call("POST", `traces/${trace}/proof`, { body: { question, answer: exact } });
      const address = URL.createObjectURL(new Blob([html], { type: "text/html" }));
      h("a", { href: address, download: filename }).click();
      URL.revokeObjectURL(address);
    } catch (error) {
      card.append(notice(error));
    } finally {
      button.disabled = false;
    }
  };
  const button = h("button.quiet", { title: t("proofTitle"), onclick: save }, t("proof"));
  return button;
}

function copyButton(text, citations) {
  const button = h(
    "button",
    {
      class: "quiet",
      onclick: async () => {
        const list = citations.map((c) => `[${c.n}] ${spelt(c.source)}, ${pageName(c)}: “${c.quote.replace(/\s+/g, " ")}”`);
        await navigator.clipboard.writeText([text, "", ...list].join("\n"));
        button.textContent = t("copied");
        setTimeout(() => (button.textContent = t("copy")), 2000);
      },
    },
    t("copy"),
  );
  return button;
}
