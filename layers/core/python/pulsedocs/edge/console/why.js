// Why an answer has these passages: each candidate from the legs that found it to the rule that
// dropped it, what another threshold would change, and why a page is not among them.

import { Latest, Problem, call } from "./api.js";
import { h, icon } from "./dom.js";
import { notice } from "./notices.js";
import { viewer } from "./viewer.js";
import { named, number, saying, t } from "./words.js";

const SHOWN = 12;
const short = (value) => number(value, { maximumFractionDigits: 2, minimumFractionDigits: 2 });

/** Opens over the answer whose `trace_id`, `question` and, where it is known, `asked` scope are given. */
export async function openWhy(answer) {
  const body = h("div", { class: "why-body" }, h("p", { class: "muted" }, t("loading")));
  const dialog = h(
    "dialog",
    { class: "dialog wide", "aria-labelledby": "why-title" },
    h("div", { class: "row" }, h("h2", { id: "why-title" }, t("whyTitle")), h("button", { type: "button", class: "quiet square push", "aria-label": t("close"), onclick: () => dialog.close() }, icon("close"))),
    h("p", { class: "muted" }, t("whyLead")),
    body,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  try {
    const trace = await call("GET", `traces/${answer.trace_id}`);
    const names = await namesOf(trace, answer);
    body.replaceChildren(...picture(trace, names, dialog), threshold(trace), whyNot(trace, answer, names), replay(trace));
  } catch (error) {
    body.replaceChildren(notice(error));
  }
}

/** A trace holds no text: what its documents are called is asked of the stage. */
export async function namesOf(trace, answer) {
  const names = new Map(answer.citations.map((each) => [each.document_id, each.title || each.source]));
  const unknown = [...new Set(trace.candidates.map((each) => each.document_id))].filter((id) => !names.has(id)).slice(0, 20);
  await Promise.all(
    unknown.map(async (id) => {
      try {
        const status = await call("GET", `documents/${id}`);
        names.set(id, status.title || status.source);
      } catch {
        names.set(id, id.slice(0, 8)); // deleted since
      }
    }),
  );
  return names;
}

function picture(trace, names, dialog) {
  const { candidates, corpus, profile } = trace;
  const chosen = candidates.filter((each) => each.selected);
  const times = Object.values(trace.timings_ms).reduce((sum, ms) => sum + ms, 0);
  const facts = [
    t("corpus", { chunks: number(corpus.chunks), documents: number(corpus.documents) }), t("considered", { count: candidates.length }),
    t("survived", { count: chosen.length }), profile.name, t("took", { ms: number(Math.round(times)) }),
  ];
  const best = Math.max(...candidates.map((each) => each.fused ?? 0), 1e-9);
  const rows = [...candidates].sort((a, b) => b.selected - a.selected || (b.final_score ?? 0) - (a.final_score ?? 0)).map((each) => lineOf(each, names, { best, gate: profile.gate, dialog }));
  rows.slice(SHOWN).forEach((row) => (row.hidden = true));
  const table = h(
    "table",
    { class: "flow" },
    h("thead", {}, h("tr", {}, [t("passage"), t("legs"), t("fusion"), t("rerank"), t("fate")].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows),
  );
  const more = h("button", { type: "button", class: "quiet", onclick: () => (rows.forEach((row) => (row.hidden = false)), more.remove()) }, t("hidden", { count: rows.length - SHOWN }));
  return [h("p", { class: "small" }, facts.join(" · ")), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("whyTitle") }, table), rows.length > SHOWN ? more : ""];
}

function lineOf(candidate, names, { best, gate, dialog }) {
  const name = names.get(candidate.document_id) ?? candidate.document_id.slice(0, 8);
  const [page] = candidate.pages;
  const leg = (hit, word) => (hit ? h("span", { class: "leg" }, `${word} `, h("strong", {}, `#${hit.rank}`)) : h("span", { class: "leg off" }, word));
  const open = () => {
    dialog.close();
    viewer.open({ documentId: candidate.document_id, version: candidate.version, source: name, title: name, page });
  };
  return h(
    "tr",
    { class: candidate.selected ? "selected" : "dropped" },
    h("td", {}, h("button", { type: "button", class: "link", onclick: open }, name), h("span", { class: "muted" }, ` · ${t("page", { page: [...candidate.pages].sort((a, b) => a - b).join(", ") })}`)),
    h("td", {}, leg(candidate.legs.vector, t("byMeaning")), leg(candidate.legs.keyword, t("byWords"))),
    h("td", {}, bar((candidate.fused ?? 0) / best)),
    h("td", {}, candidate.relevance === null ? "–" : [bar(candidate.relevance, gate), h("span", { class: "small" }, short(candidate.relevance))]),
    h("td", {}, h("span", { class: `badge ${candidate.selected ? "good" : ""}`, title: candidate.reason }, named("f", candidate.reason))),
  );
}

function bar(share, gate) {
  const inner = h("span", { class: "fill" });
  inner.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
  const outer = h("span", { class: "bar", "aria-hidden": "true" }, inner);
  if (gate !== undefined && gate !== null) {
    const line = h("span", { class: "gate" });
    line.style.left = `${100 * gate}%`;
    outer.append(line);
  }
  return outer;
}

function threshold(trace) {
  const now = trace.profile.gate ?? 0;
  const told = h("p", { class: "small", role: "status" });
  const label = h("label", { for: "gate" }, t("whatIf", { value: short(now) }));
  const asking = new Latest();
  const slider = h("input", { type: "range", id: "gate", min: "0", max: "1", step: "0.01", oninput: () => (label.textContent = t("whatIf", { value: short(Number(slider.value)) })) });
  slider.value = String(now);
  slider.addEventListener("change", async () => {
    const signal = asking.next();
    try {
      const tried = await call("POST", `traces/${trace.trace_id}/what-if`, { body: { score_threshold: Number(slider.value) }, signal });
      const { added, removed, refusal } = tried;
      told.textContent = refusal ? `${t("whatIfRefused")} ${refusal.detail}` : added.length || removed.length ? t("whatIfChanged", { added: added.length, removed: removed.length }) : t("whatIfSame");
    } catch (error) {
      if (error.name !== "AbortError") told.textContent = saying(error);
    }
  });
  return h("div", { class: "panel" }, h("h3", {}, t("threshold")), label, slider, told);
}

function whyNot(trace, answer, names) {
  const told = h("p", { role: "status" });
  const ids = new Map(); // by what the documents are called
  const offered = h("datalist", { id: "why-documents" });
  const offer = (id, name) => {
    const called = (ids.get(name) ?? id) === id ? name : `${name} (${id.slice(0, 8)})`;
    if (!ids.has(called)) offered.append(h("option", { value: called }));
    ids.set(called, id);
  };
  for (const [id, name] of names) offer(id, name);
  const which = h("input", { id: "why-document", list: offered.id, required: true, maxlength: "500", autocomplete: "off", placeholder: t("nameHint") });
  which.value = [...ids.keys()][0] ?? "";
  // The one that is missed may be no candidate: the newest are offered, any other can be typed.
  call("GET", "documents", { query: { limit: 100 } }).then(({ documents }) => documents.forEach((each) => offer(each.document_id, each.title || each.source)), () => {});
  const idOf = async (name) => ids.get(name) ?? (await call("GET", "documents", { query: { limit: 1, filter: JSON.stringify({ source: name }) } })).documents[0]?.document_id;
  const page = h("input", { id: "why-page", type: "number", min: "1", max: "100000", value: "1", required: true });
  const form = h(
    "form",
    {
      class: "row",
      onsubmit: async (event) => {
        event.preventDefault();
        try {
          const at = { document_id: await idOf(which.value.trim()), page: Number(page.value) };
          if (!at.document_id) throw new Problem({ code: "DOCUMENT_NOT_FOUND" });
          const path = `traces/${trace.trace_id}/why`;
          // The exact rank takes the scope, which is not known of a kept turn.
          const found = await (answer.asked ? call("POST", path, { body: { ...at, question: answer.question, ...answer.asked } }) : call("GET", path, { query: at }));
          told.replaceChildren(h("strong", {}, named("l", found.stage)), " ", h("span", { class: "muted small" }, found.detail));
        } catch (error) {
          told.textContent = saying(error);
        }
      },
    },
    h("label", { for: "why-document" }, t("whyNotDocument")), which, offered,
    h("label", { for: "why-page" }, t("whyNotPage")), page,
    h("button", {}, t("check")),
  );
  return h("div", { class: "panel" }, h("h3", {}, t("whyNot")), form, told);
}

function replay(trace) {
  const told = h("span", { role: "status" });
  const ask = async () => {
    try {
      const { identical } = await call("POST", `traces/${trace.trace_id}/replay`);
      told.textContent = t(identical ? "identical" : "different");
    } catch (error) {
      told.textContent = saying(error);
    }
  };
  return h("div", { class: "row" }, h("button", { type: "button", onclick: ask }, t("replay")), told);
}
