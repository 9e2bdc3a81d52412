// Two ways to answer beside each other: on one question, on a set whose answers are known, and the
// model that a collection may move to.

import { Latest, call, pause } from "./api.js";
import { evidence, refusal, withMarkers } from "./ask.js";
import { bars } from "./chart.js";
import { h, options, table } from "./dom.js";
import { migrationPanel } from "./migration.js";
import { loading, notice } from "./notices.js";
import { namesOf, passageOf, took } from "./why.js";
import { named, number, t } from "./words.js";

const MOST_PROFILES = 5;
const MOST_QUESTIONS = 200;
const POLL_MS = 1500;
const STAGES = ["vector", "keyword", "fused", "reranked", "gated", "capped", "selected"];
const FIGURES = ["recall@5", "recall@10", "mrr@10", "ndcg@10", "page@1", "page@5"];
const share = (value) => (value === null || value === undefined ? "–" : number(value, { maximumFractionDigits: 3 }));

export function compareSection() {
  const collection = h("select", { id: "compare-collection", onchange: () => choose() });
  const [question, set, models] = ["one", "many", "models"].map((name) => h("div.panel", { id: `compare-${name}` }));
  const scope = h("div.row", {}, h("label", { for: "compare-collection" }, t("searchIn")), collection);
  const element = h(
    "section.compare",
    { "aria-labelledby": "compare-title" },
    h("h1", { id: "compare-title" }, t("compare")),
    scope,
    question,
    set,
    models,
  );
  const choice = new Latest();

  async function choose() {
    const name = collection.value;
    const signal = choice.next();
    question.replaceChildren(loading());
    for (const former of [set, models]) former.replaceChildren();
    try {
      const [{ built_in: own, defined }, { models: all }] = await Promise.all([call("GET", `collections/${encodeURIComponent(name)}/profiles`, { signal }), call("GET", "models", { signal })]);
      const profiles = [...defined, ...own].map((each) => each.name);
      const usable = all.filter((each) => [...each.active_in, ...each.shadow_in].includes(name));
      question.replaceChildren(...onQuestion(name, profiles, usable));
      set.replaceChildren(...onSet(name, profiles, signal));
      migrationPanel(models, name, all, signal);
    } catch (error) {
      if (!signal.aborted) question.replaceChildren(notice(error, choose));
    }
  }

  return {
    element,
    async entered() {
      try {
        const { collections } = await call("GET", "collections");
        collection.replaceChildren(...options(collections.map(({ name }) => name)));
        if (collections.some(({ name }) => name === "default")) collection.value = "default";
        scope.hidden = !collections.length;
        if (collections.length) await choose();
        else question.replaceChildren(h("p.muted", {}, t("noDocuments")), h("a.button.primary", { href: "#documents" }, t("addFirst")));
      } catch (error) {
        question.replaceChildren(notice(error));
      }
    },
    leave: () => choice.end(),
  };
}

const chooser = (select, values, chosen) => {
  select.append(...options(values));
  if (values.includes(chosen)) select.value = chosen;
  return select;
};

// ------------ one question

function onQuestion(collection, profiles, models) {
  const field = h("input", { id: "compare-question", dir: "auto", maxlength: "8000", required: true, autocomplete: "off", class: "grow" });
  const sides = ["A", "B"].map((letter, which) => {
    const profile = chooser(h("select", { id: `profile-${letter}`, "aria-label": t("profileOf", { side: letter }) }), profiles, which ? profiles.find((name) => name !== "default") : "default");
    const model = models.length > 1 ? chooser(h("select", { id: `model-${letter}`, "aria-label": t("modelOf", { side: letter }) }), models.map((each) => each.model)) : null;
    return { letter, profile, model };
  });
  const found = h("div.found", { "aria-live": "polite" });
  const asking = new Latest();
  const ask = async (event) => {
    event.preventDefault();
    const signal = asking.next();
    found.replaceChildren(h("p.muted", {}, t("looking")));
    try {
      const text = field.value.trim();
      const answers = await Promise.all(sides.map(({ profile, model }) => call("POST", "ask", { body: { question: text, collection, profile: profile.value, model: model?.value }, signal })));
      const traces = await Promise.all(answers.map((answer) => call("GET", `traces/${answer.trace_id}`, { signal })));
      const differing = await differences(answers, traces);
      if (signal.aborted) return;
      found.replaceChildren(h("div.sides", {}, answers.map((answer, which) => sideOf(sides[which], answer, traces[which]))), ...differing);
    } catch (error) {
      if (!signal.aborted) found.replaceChildren(notice(error));
    }
  };
  const chosen = sides.map(({ letter, profile, model }) => h("div.row", {}, h("span.number", { "aria-hidden": "true" }, letter), profile, model));
  return [
    h("h2", {}, t("oneQuestion")),
    h("form", { onsubmit: ask }, h("label", { for: "compare-question" }, t("question")), h("div.row", {}, field, h("button.primary", {}, t("compare"))), h("div.sides", {}, chosen)),
    found,
  ];
}

function sideOf({ letter, profile, model }, answer, trace) {
  return h(
    "article.answer",
    { "aria-label": `${letter}: ${profile.value}` },
    h("h3", {}, `${letter} · ${[profile.value, model?.value].filter(Boolean).join(" · ")}`),
    answer.abstained ? refusal(answer.abstained, answer.coverage, answer.degraded) : [h("p.said", { dir: "auto" }, withMarkers(answer.answer, answer.citations)), evidence(answer.citations)],
    h("p.muted.small", {}, [t("survived", { count: trace.candidates.filter((each) => each.selected).length }), took(trace)].join(" · ")),
  );
}

/** The passages that one side chose and the other did not, or in another place, each with its fate. */
async function differences(answers, traces) {
  const [left, right] = traces.map((trace) => new Map(trace.candidates.map((each) => [each.chunk_id, each])));
  const every = new Map([...right, ...left]);
  const isOther = (id) => (left.get(id)?.rank ?? null) !== (right.get(id)?.rank ?? null);
  const first = (id) => Math.min(left.get(id)?.rank ?? 1e9, right.get(id)?.rank ?? 1e9);
  const differing = [...every.values()].filter(({ chunk_id: id }) => isOther(id)).sort((a, b) => first(a.chunk_id) - first(b.chunk_id));
  const title = h("h3", {}, t("passagesDiffer"));
  if (!differing.length) return [title, h("p.muted", {}, t("samePassages"))];
  const names = await namesOf({ candidates: differing }, { citations: answers.flatMap((each) => each.citations) });
  const rows = differing.map((each) => [passageOf(each, names), ...[left, right].map((side) => fate(side.get(each.chunk_id)))]);
  return [title, table(t("passagesDiffer"), [t("passage"), "A", "B"], rows, "flow")];
}

function fate(candidate) {
  if (!candidate) return h("span.muted", {}, t("notFoundThere"));
  const text = candidate.selected ? t("chosenAs", { rank: candidate.rank }) : named("f", candidate.reason);
  return h("span", { class: `badge ${candidate.selected ? "good" : ""}` }, text);
}

// ------------ a set

function onSet(collection, profiles, signal) {
  const boxes = profiles.map((name) => {
    const box = h("input", { type: "checkbox", id: `set-${name}`, value: name, checked: name === "default" });
    return [box, h("div.check", {}, box, h("label", { for: box.id }, name))];
  });
  const lines = h("textarea", { id: "set-lines", rows: "3", spellcheck: "false", placeholder: '{"question": "…", "expected": [{"source": "report.pdf", "page": 3}]}' });
  const told = h("p.small", { role: "status" });
  const report = h("div.report");
  const run = async (event) => {
    event.preventDefault();
    report.replaceChildren();
    try {
      const chosen = boxes.map(([box]) => box).filter((box) => box.checked).map((box) => box.value);
      const given = lines.value.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
      const questions = [...given, ...(await judged(collection))].slice(0, MOST_QUESTIONS);
      if (!questions.length || !chosen.length || chosen.length > MOST_PROFILES) {
        told.textContent = t(questions.length ? "chooseProfiles" : "noQuestions");
        return;
      }
      const { evaluation_id: id } = await call("POST", "evaluations", { body: { collection, questions, profiles: chosen } });
      await follow(id, { told, report, signal });
    } catch (error) {
      if (signal.aborted) return;
      told.textContent = error instanceof SyntaxError ? t("badLine") : "";
      if (!(error instanceof SyntaxError)) report.replaceChildren(notice(error));
    }
  };
  return [
    h("h2", {}, t("onSet")),
    h("p.muted", {}, t("onSetLead")),
    h(
      "form",
      { onsubmit: run },
      h("label", { for: "set-lines" }, t("moreQuestions")),
      lines,
      h("fieldset", {}, h("legend", {}, t("profiles")), h("div.row", {}, boxes.map(([, element]) => element))),
      h("div.row", {}, h("button.primary", {}, t("measure")), told),
    ),
    report,
  ];
}

/** The questions that people judged, each as it was last: with the places that answer it. */
async function judged(collection) {
  const questions = new Map();
  for (let cursor = null, isFirst = true; isFirst || (cursor && questions.size < MOST_QUESTIONS); isFirst = false) {
    const page = await call("GET", "feedback", { query: { collection, limit: 100, cursor } });
    for (const { question, expected } of page.feedback)
      if (expected && !questions.has(question)) questions.set(question, { question, expected });
    cursor = page.cursor;
  }
  return [...questions.values()];
}

async function follow(id, { told, report, signal }) {
  for (;;) {
    const found = await call("GET", `evaluations/${id}`, { signal });
    const done = Object.values(found.profiles).filter(Boolean).length;
    told.textContent = t("measured", { done, total: Object.keys(found.profiles).length, count: found.questions });
    if (done) report.replaceChildren(...reportOf(found));
    if (found.error) report.append(notice(new Error(`${found.error.code}: ${found.error.message}`)));
    if (found.state === "DONE" || found.state === "FAILED") return;
    await pause(POLL_MS);
  }
}

function reportOf({ profiles, complete, state }) {
  const measured = Object.entries(profiles).filter(([, figures]) => figures);
  const series = measured.map(([name]) => name);
  const of = (name, stage, figure) => profiles[name].stages[stage]?.[figure];
  const shown = FIGURES.filter((figure) => series.some((name) => of(name, "selected", figure)));
  const parts = [];
  if (shown.length)
    parts.push(
      bars({ title: t("atTheEnd"), groups: shown, series, value: (figure, name) => of(name, "selected", figure) }),
      bars({ title: t("stageByStage"), groups: STAGES, series, value: (stage, name) => of(name, stage, "recall@10") }),
    );
  const heads = [t("profile"), ...shown, t("refusedRightly"), t("refusedDue")];
  const rows = measured.map(([name, { stages, abstention }]) => [name, ...shown.map((figure) => share(stages.selected?.[figure]?.mean)), share(abstention.precision), share(abstention.recall)]);
  parts.push(table(t("figures"), heads, rows));
  if (state === "DONE" && !complete) parts.push(h("p.limit", {}, t("ranOut")));
  return parts;
}
