// Whether an answer helped, and why: said with one press, explained below it, changed or taken back.

import { call } from "./api.js";
import { h, nameOf, options } from "./dom.js";
import { viewer } from "./viewer.js";
import { saying, t } from "./words.js";

/** The two buttons and the form that one of them opens; `answer` has its trace, question and what was said of it. */
export function judging(answer) {
  const path = `traces/${answer.trace_id}/feedback`;
  const told = h("span.muted.small", { role: "status" });
  const form = h("div.judge", { hidden: true });
  const buttons = new Map(["helpful", "wrong"].map((verdict) => [verdict, h("button.quiet", { "aria-pressed": "false", onclick: () => press(verdict) }, t(verdict))]));
  const said = new Map(); // what is kept, or was before the other word took its place
  let pressed = null;

  function mark(verdict) {
    pressed = verdict;
    for (const [each, button] of buttons) button.setAttribute("aria-pressed", String(each === verdict));
  }

  async function tell(verdict, more = said.get(verdict)) {
    try {
      const question = answer.rewritten_question ?? answer.question;
      const kept = await call("PUT", path, { body: { question, verdict, ...more } });
      said.set(verdict, more);
      mark(verdict);
      told.textContent = t(kept.is_question ? "judgedAsked" : "judged");
      return true;
    } catch (error) {
      told.textContent = saying(error);
      return false;
    }
  }

  async function press(verdict) {
    if (pressed === verdict || (await tell(verdict))) open(verdict);
  }

  async function takeBack() {
    try {
      await call("DELETE", path);
      mark(null);
      said.clear();
      form.hidden = true;
      told.textContent = t("takenBack");
      buttons.get("helpful").focus();
    } catch (error) {
      told.textContent = saying(error);
    }
  }

  function open(verdict) {
    const id = `why-${answer.trace_id}`;
    const before = said.get(verdict);
    const reason = h("textarea", { id, dir: "auto", rows: "2", maxlength: "2000", value: before?.reason ?? "" });
    const stands = verdict === "wrong" ? places(id, before?.expected ?? null) : null;
    const save = async (event) => {
      event.preventDefault();
      if (await tell(verdict, { reason: reason.value.trim(), expected: stands?.chosen() ?? null })) {
        form.hidden = true;
        buttons.get(verdict).focus();
      }
    };
    form.replaceChildren(
      h(
        "form",
        { onsubmit: save },
        h("label", { for: id }, t(verdict === "wrong" ? "whyWrong" : "whyHelpful")),
        reason,
        stands?.element,
        h("div.row", {}, h("button", {}, t("save")), h("button.quiet", { onclick: takeBack }, t("takeBack"))),
      ),
    );
    form.hidden = false;
    reason.focus();
  }

  if (answer.feedback) {
    const { verdict, reason, expected } = answer.feedback;
    said.set(verdict, { reason, expected: expected?.map(({ document_id, page }) => ({ document_id, page })) ?? null });
    mark(verdict);
  }

  return { buttons: [...buttons.values(), told], form };
}

/** Where the right answer stands: on the page that is open beside, nowhere, where it was said before, or nobody knows. */
function places(id, before) {
  const place = viewer.placeOf();
  const choices = [["unknown", t("standsUnknown")], ["nowhere", t("standsNowhere")]];
  if (place) choices.push(["here", t("standsHere", { name: nameOf(place), page: place.page })]);
  if (before?.length) choices.push(["before", t("standsBefore", { page: before.map(({ page }) => page ?? "–").join(", ") })]);
  const select = h("select", { id: `${id}-stands` }, options(choices));
  select.value = before === null ? "unknown" : before.length ? "before" : "nowhere";
  return {
    element: h("div.row", {}, h("label", { for: select.id }, t("stands")), select, place ? null : h("span.muted.small", {}, t("standsHint"))),
    chosen: () => ({ unknown: null, nowhere: [], before, here: place && [{ document_id: place.documentId, page: place.page }] })[select.value],
  };
}
