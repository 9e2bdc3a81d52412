// The model that a collection is searched by, and the one that it may move to: what is embedded
// already, how differently the two order, and the way there and back.

import { call, pause } from "./api.js";
import { confirmed, h, options } from "./dom.js";
import { notice } from "./notices.js";
import { number, t } from "./words.js";

const POLL_MS = 2000;
const percent = (value) => number(value, { style: "percent", maximumFractionDigits: 1 });

/** Fills the panel, and again while vectors are being made, until `signal` says that another is chosen. */
export async function migrationPanel(panel, collection, models, signal) {
  const path = `collections/${encodeURIComponent(collection)}/migration`;
  const again = () => migrationPanel(panel, collection, models, signal);
  const run = (method, where, body) => async () => {
    try {
      await call(method, where, { body });
      await again();
    } catch (error) {
      if (!signal.aborted) panel.append(notice(error));
    }
  };
  let found = null;
  try {
    found = await call("GET", path, { signal });
  } catch (error) {
    if (signal.aborted) return;
    if (error.status !== 404) {
      panel.replaceChildren(h("h2", {}, t("models")), notice(error, again));
      return;
    }
  }
  const active = found?.active_model ?? models.find((each) => each.active_in.includes(collection))?.model ?? "–";
  panel.replaceChildren(h("h2", {}, t("models")), h("p", {}, t("searchedBy", { model: active })), ...(found ? progress(found, { collection, path, run }) : []), starting(models, active, { path, run }));
  const under = found?.backfill && !found.backfill.ended_at;
  if (under) {
    await pause(POLL_MS);
    await again();
  }
}

function progress(found, { collection, path, run }) {
  const { from_model: from, to_model: to, coverage, comparison, active_model: active } = found;
  const covered = Object.entries(coverage).map(([model, counts]) => {
    const label = t("covered", { model, embedded: number(counts.embedded), chunks: number(counts.chunks) });
    return h("div.meter-line", {}, h("span", {}, label), h("progress", { max: counts.chunks || 1, value: counts.embedded, "aria-label": label }));
  });
  const overlap = comparison ? t("overlap", { mean: percent(comparison.overlap), lowest: percent(comparison.lowest), sampled: number(comparison.sampled_chunks), neighbours: comparison.neighbours }) : t("noOverlapYet");
  const sure = async () => {
    if (await confirmed(t("promoteTitle", { collection, model: to }), t("promoteText", { model: from }), t("promote"), t("keepModel"))) await run("POST", `${path}/promote`)();
  };
  const promote = active === to ? null : h("button.primary", { onclick: sure }, t("promote"));
  const back = active === to ? h("button", { onclick: run("POST", `${path}/rollback`) }, t("rollBack", { model: from })) : null;
  return [h("h3", {}, `${from} → ${to}`), h("div.meters", {}, covered), h("p.small", {}, overlap), h("div.row", {}, promote, back)];
}

function starting(models, active, { path, run }) {
  const others = models.filter((each) => each.model !== active && each.state === "READY").map((each) => each.model);
  if (!others.length) return h("p.muted.small", {}, t("noOtherModel"));
  const select = h("select", { id: "to-model" }, options(others));
  const start = (event) => (event.preventDefault(), run("POST", path, { to_model: select.value })());
  return h("form.row", { onsubmit: start }, h("label", { for: "to-model" }, t("tryModel")), select, h("button", {}, t("start")));
}
