// Why an answer has these passages: each candidate from the legs that found it to the rule that
// dropped it, what another threshold would change, and why a page is not among them.

import { Latest, Problem, call, withName } from "./api.js";
import { h, nameOf, shown, table } from "./dom.js";
import { loading, notice } from "./notices.js";
import { viewer } from "./viewer.js";
import { named, number, saying, t } from "./words.js";

const SHOWN = 12;
const short = (value) => number(value, { maximumFractionDigits: 2, minimumFractionDigits: 2 });

/** Opens over the answer whose `trace_id`, `question` and, where it is known, `asked` scope are given. */
export async function openWhy(answer) {
  const body = h("div.why-body", {}, loading());
  const dialog = shown(t("whyTitle"), "wide", h("p.muted", {}, t("whyLead")), body);
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
  const names = new Map(answer.citations.map((each) => [each.document_id, nameOf(each)]));
  const unknown = [...new Set(trace.candidates.map((each) => each.document_id))].filter((id) => !names.has(id)).slice(0, 20);
  await Promise.all(
    unknown.map(async (id) => {
      try {
        const status = await call("GET", `documents/${id}`);
        names.set(id, nameOf(status));
      } catch {
        names.set(id, id.slice(0, 8)); // deleted since
      }
    }),
  );
  return names;
}

// Within the search, whose time has theirs.
const LEGS = new Set(["vector", "keyword", "page"]);

/** How long an answer took, each step once. */
export function took({ timings_ms: times }) {
  const ms = Object.entries(times).reduce((sum, [step, each]) => sum + (LEGS.has(step) ? 0 : each), 0);
  return t("took", { ms: number(Math.round(ms)) });
}

/** A passage: its document, to be opened, and where in it. */
export function passageOf({ document_id: documentId, version, pages, chunk_index: at }, names, before = () => {}) {
  const name = names.get(documentId) ?? documentId.slice(0, 8);
  const sorted = [...pages].sort((a, b) => a - b);
  const open = () => {
    before();
    viewer.open({ documentId, version, source: name, page: sorted[0] });
  };
  return [h("button.link", { dir: "auto", onclick: open }, name), h("span.muted", {}, t("passageOf", { page: sorted.join(", "), n: number(at + 1) }))];
}

function picture(trace, names, dialog) {
  const { candidates, corpus, profile } = trace;
  const facts = [
    t("corpus", { chunks: number(corpus.chunks), documents: number(corpus.documents) }), t("considered", { count: candidates.length }),
    t("survived", { count: candidates.filter((each) => each.selected).length }), profile.name, took(trace),
  ];
  const best = Math.max(...candidates.map((each) => each.fused ?? 0), 1e-9);
  const sorted = [...candidates].sort((a, b) => b.selected - a.selected || (b.final_score ?? 0) - (a.final_score ?? 0));
  const lines = sorted.map((each) => lineOf(each, names, { best, ...gateOf(trace), dialog }));
  const flow = table(t("whyTitle"), [t("passage"), t("legs"), t("fusion"), t("rerank"), t("fate")], lines, "flow");
  const rows = [...flow.querySelectorAll("tbody tr")];
  rows.forEach((row, at) => Object.assign(row, { className: sorted[at].selected ? "selected" : "", hidden: at >= SHOWN }));
  const show = () => {
    rows.forEach((row) => (row.hidden = false));
    more.remove();
    rows[SHOWN].querySelector("button").focus();
  };
  const more = h("button.quiet", { onclick: show }, t("hidden", { count: rows.length - SHOWN }));
  return [h("p.small", {}, facts.join(" · ")), flow, rows.length > SHOWN ? more : ""];
}

/** What the threshold compares, and the least it let through: a lower one once a passage reached it. */
function gateOf({ candidates, profile: { gate, gate_low: low, gate_scale: scale } }) {
  const judged = (each) => (scale === "cosine" ? each.similarity : each.relevance);
  const isReached = low && candidates.some((each) => judged(each) >= gate);
  const isFree = scale === "none" || candidates.some(({ legs }) => legs.page); // a page was named
  return { judged, least: isFree ? null : isReached ? low : gate };
}

function lineOf(candidate, names, { best, judged, least, dialog }) {
  const { vector, hyde, page: asked, keyword } = candidate.legs;
  const leg = (hit, word) => (hit ? h("span.leg", {}, `${t(word)} `, h("strong", {}, `#${hit.rank}`)) : h("span.leg.off", {}, t("notBy", { leg: t(word) })));
  const [fused, relevance] = [(candidate.fused ?? 0) / best, judged(candidate)];
  return [
    passageOf(candidate, names, () => dialog.close()),
    [leg(vector ?? hyde, "byMeaning"), leg(keyword, "byWords"), asked ? leg(asked, "viewer") : ""],
    [bar(fused), h("span.unseen", {}, short(fused))],
    relevance === null ? "–" : [bar(relevance, least), h("span.small", {}, short(relevance))],
    h("span", { class: `badge ${candidate.selected ? "good" : ""}` }, named("f", candidate.reason)),
  ];
}

function bar(share, gate) {
  const inner = h("span.fill");
  inner.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
  const outer = h("span.bar", { "aria-hidden": "true" }, inner);
  if (gate !== undefined && gate !== null) {
    const line = h("span.gate");
    line.style.left = `${100 * gate}%`;
    outer.append(line);
  }
  return outer;
}

function threshold(trace) {
  const now = trace.profile.gate ?? 0;
  const { least } = gateOf(trace);
  const told = h("p.small", { role: "status" });
  const label = h("label", { for: "gate" }, t("whatIf", { value: short(now) }));
  const asking = new Latest();
  const slider = h("input", { type: "range", id: "gate", min: "0", max: "1", step: "0.01", oninput: () => (label.textContent = t("whatIf", { value: short(Number(slider.value)) })) });
  slider.value = String(now);
  slider.addEventListener("change", async () => {
    const signal = asking.next();
    try {
      const tried = await call("POST", `traces/${trace.trace_id}/what-if`, { body: { score_threshold: Number(slider.value) }, signal });
      const { added, removed, refusal } = tried;
      told.textContent = refusal ? t("whatIfRefused") : added.length || removed.length ? t("whatIfChanged", { added: added.length, removed: removed.length }) : t("whatIfSame");
    } catch (error) {
      if (error.name !== "AbortError") told.textContent = saying(error);
    }
  });
  return h("div.panel", {}, h("h3", {}, t("threshold")), least !== null && least < now ? h("p.small", {}, t("lowGate", { gate: short(now), least: short(least) })) : "", label, slider, told);
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
  const which = h("input", { id: "why-document", dir: "auto", list: offered.id, required: true, maxlength: "500", autocomplete: "off", placeholder: t("nameHint") });
  which.value = [...ids.keys()][0] ?? "";
  // The one that is missed may be no candidate: the newest are offered, any other can be typed.
  call("GET", "documents", { query: { limit: 100 } }).then(({ documents }) => documents.forEach((each) => offer(each.document_id, nameOf(each))), () => {});
  const find = async (filter) => (await call("GET", "documents", { query: { limit: 1, filter: JSON.stringify(filter) } })).documents[0]?.document_id;
  const idOf = async (name) => ids.get(name) ?? (await find({ source: name })) ?? (await find(withName(name)));
  const page = h("input", { id: "why-page", type: "number", min: "1", max: "100000", value: "1", required: true });
  const form = h(
    "form",
    {
      class: "row",
      onsubmit: async (event) => {
        event.preventDefault();
        try {
          const at = { document_id: await idOf(which.value.trim()), page: Number(page.value) };
          if (!at.document_id) throw new Problem({ detail: t("unnamed") });
          const path = `traces/${trace.trace_id}/why`;
          // The exact rank takes the scope, which is not known of a kept turn.
          const found = await (answer.asked ? call("POST", path, { body: { ...at, question: answer.question, ...answer.asked } }) : call("GET", path, { query: at }));
          told.replaceChildren(h("strong", {}, named("l", found.stage)), " ", h("span.muted.small", {}, found.detail));
        } catch (error) {
          told.textContent = saying(error);
        }
      },
    },
    h("label", { for: "why-document" }, t("source")), which, offered,
    h("label", { for: "why-page" }, t("viewer")), page,
    h("button", {}, t("check")),
  );
  return h("div.panel", {}, h("h3", {}, t("whyNot")), form, told);
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
  return h("div.row", {}, h("button", { onclick: ask }, t("replay")), told);
}
