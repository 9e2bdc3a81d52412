// A person's conversations: listed, the last answered first, opened again and deleted.

import { call } from "./api.js";
import { confirmed, h } from "./dom.js";
import { notice } from "./notices.js";
import { date, number, t } from "./words.js";

const PAGE = 10;

/** A list that reads itself when it is unfolded; `isOpen(id)` says which conversation is shown. */
export function talkList({ isOpen, open, deleted }) {
  const rows = h("ul", { class: "bare rows" });
  const foot = h("div", { class: "row center" });
  let cursor = null;
  const element = h("details", { class: "talks", ontoggle: () => element.open && reload() }, h("summary", {}, t("talks")), rows, foot);

  async function load() {
    const isFirst = cursor === null;
    foot.replaceChildren(h("span", { class: "muted" }, t("loading")));
    try {
      const found = await call("GET", "conversations", { query: { limit: PAGE, cursor } });
      const made = found.conversations.map(row);
      if (isFirst) rows.replaceChildren();
      rows.append(...made);
      cursor = found.cursor;
      if (!isFirst) made[0]?.querySelector("button")?.focus();
      foot.replaceChildren(rows.childElementCount ? "" : h("span", { class: "muted" }, t("noTalks")), cursor ? h("button", { onclick: load }, t("more")) : "");
    } catch (error) {
      foot.replaceChildren(notice(error, load));
    }
  }

  function row({ conversation_id: id, title, turns, answered_at: at }) {
    const remove = async () => {
      if (!(await confirmed(t("forgetTitle", { title }), t("forgetText"), t("delete"), t("keep")))) return;
      try {
        await call("DELETE", `conversations/${id}`);
      } catch (error) {
        foot.replaceChildren(notice(error));
        return;
      }
      deleted(id);
      if (element.open) await reload();
      else element.open = true; // which reads it
      element.querySelector("summary").focus();
    };
    const asked = [t("questions", { count: number(turns) }), date(at)].join(" · ");
    return h(
      "li",
      { class: "talk" },
      h("div", { class: "doc-main" }, h("button", { class: "link doc-name", dir: "auto", "aria-current": isOpen(id) ? "true" : null, onclick: () => open(id) }, title), h("p", { class: "muted small" }, asked)),
      h("button", { class: "quiet danger-text", "aria-label": t("actionsFor", { action: t("forgetTalk"), name: title }), onclick: remove }, t("delete")),
    );
  }

  function reload() {
    cursor = null;
    return load();
  }

  return { element, fold: () => (element.open = false) };
}
