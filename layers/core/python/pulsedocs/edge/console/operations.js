// What the tenant used, what has failed, who did what.

import { call } from "./api.js";
import { showReceipt } from "./documents.js";
import { h, nameOf, options, table } from "./dom.js";
import { notice } from "./notices.js";
import { date, named, number, saying, t } from "./words.js";

const dollars = (value) => (value === null ? "–" : number(value, { style: "currency", currency: "USD", maximumFractionDigits: 4 }));

const KINDS = { day: "day", user_id: "user_id", method: "method", source: "source", model: "byModel" };

export function operationsSection() {
  const [today, used, stuck, audit] = [1, 2, 3, 4].map(() => h("div.panel"));
  const receipt = h("input", { id: "receipt", required: true, maxlength: "64", pattern: "\\s*[0-9a-fA-F\\-]{36}\\s*", title: t("receiptForm"), autocomplete: "off" });
  const element = h(
    "section.operations",
    { "aria-labelledby": "operations-title" },
    h("h1", { id: "operations-title" }, t("operations")),
    today,
    used,
    stuck,
    h(
      "div.panel",
      {},
      h("form.row", { onsubmit: (event) => (event.preventDefault(), showReceipt(receipt.value.trim())) }, h("label", { for: "receipt" }, t("findReceipt")), receipt, h("button", {}, t("show"))),
    ),
    audit,
  );
  const guarded = async (place, fill) => {
    try {
      await fill(place);
    } catch (error) {
      place.replaceChildren(notice(error, () => guarded(place, fill)));
    }
  };
  return {
    element,
    entered() {
      guarded(used, (place) => fillUsage(place, today, "day"));
      guarded(stuck, fillStuck);
      guarded(audit, fillAudit);
    },
  };
}

const keyOf = ({ key, keys }) => (keys > 1 ? t("others", { count: number(keys) }) : (key ?? "–"));

async function fillUsage(place, today, by) {
  const { spent, stored, budget } = await call("GET", "usage", { query: { by } });
  const share = ({ limit, used, reserved }, show) => limit === null ? `${show(used + reserved)} (${t("noLimit")})` : t("of", { used: show(used + reserved), limit: show(limit) });
  const meter = (name, part, show) =>
    h("div.meter-line", {}, h("span", {}, name), h("strong", {}, share(part, show)), part.limit ? h("meter", { min: "0", max: part.limit, high: 0.8 * part.limit, value: part.used + part.reserved, "aria-label": name }) : "");
  today.replaceChildren(
    h("h2", {}, t("today")),
    h("div.meters", {}, meter(t("pagesUsed"), budget.pages, number), meter(t("tokensUsed"), budget.tokens, number), meter(t("cost"), budget.usd, dollars)),
  );
  const select = h("select", { id: "usage-by", onchange: () => fillUsage(place, today, select.value).then(() => document.getElementById("usage-by").focus()) }, options(Object.entries(KINDS).map(([kind, word]) => [kind, t(word)])));
  select.value = by;
  const unpriced = spent.reduce((sum, each) => sum + each.unpriced, 0);
  place.replaceChildren(
    h("div.row", {}, h("h2", {}, t("usage")), h("label.push", { for: "usage-by" }, t("by")), select),
    spent.length ? h("h3", {}, t("spentOnModels")) : "",
    spent.length ? table(t("spentOnModels"), [t(KINDS[by]), t("calls"), t("tokensIn"), t("tokensOut"), t("cost")], spent.map((each) => [keyOf(each), number(each.calls), number(each.input_tokens), number(each.output_tokens), dollars(each.cost_usd)])) : "",
    unpriced ? h("p.muted.small", {}, t("unpriced", { count: number(unpriced) })) : "",
    stored.length ? h("h3", {}, t("storedNow")) : "",
    stored.length ? table(t("storedNow"), [t(KINDS[by]), t("documents"), t("pagesUsed"), t("tokensUsed")], stored.map((each) => [keyOf(each), number(each.documents), number(each.pages), number(each.tokens)])) : "",
  );
}

async function fillStuck(place, said = "") {
  const pages = await Promise.all(["FAILED", "PARKED"].map((state) => call("GET", "documents", { query: { state, limit: 100 } })));
  const found = pages.flatMap(({ documents }) => documents);
  const told = h("span", { role: "status" }, said);
  const run = async () => {
    try {
      const { requeued } = await call("POST", "operations/redrive", { body: {} });
      await fillStuck(place, t("redriven", { count: number(requeued) }));
    } catch (error) {
      told.textContent = saying(error);
    }
  };
  place.replaceChildren(
    h("div.row", {}, h("h2", {}, t("stuck")), told, found.length ? h("button.push", { onclick: run }, t("redrive")) : ""),
    found.length
      ? table(t("stuck"), [t("source"), t("fate"), t("when")], found.map((each) => [nameOf(each), `${named("o", each.outcome)}. ${each.error ? saying(each.error) : ""}`, date(each.updated_at)]))
      : h("p.muted", {}, t("nothingStuck")),
  );
}

async function fillAudit(place) {
  const title = h("h2", {}, t("audit"));
  let found;
  try {
    found = await call("GET", "audit", { query: { limit: 50 } });
  } catch (error) {
    if (error.status !== 403) throw error;
    place.replaceChildren(title, h("p.muted", {}, t("noAudit")));
    return;
  }
  place.replaceChildren(title, table(t("audit"), [t("when"), t("who"), t("what"), t("fate")], found.events.map((each) => [date(each.at), each.actor, `${each.action} ${each.object}`, each.outcome])));
}
