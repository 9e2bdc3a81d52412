// A person's conversations: listed, the last answered first, opened again and deleted.

import { call } from "./api.js";
import { confirmed, h } from "./dom.js";
import { notice, paged } from "./notices.js";
import { date, number, t } from "./words.js";

const PAGE = 10;

/** A list that reads itself when it is unfolded; `isOpen(id)` says which conversation is shown. */
export function talkList({ isOpen, open, deleted }) {
  const rows = h("ul.bare.rows");
  const foot = h("div.row.center");
  const told = () => (rows.childElementCount ? "" : h("span.muted", {}, t("noTalks")));
  const { reload } = paged(rows, foot, read, told);
  const element = h("details.talks", { ontoggle: () => element.open && reload() }, h("summary", {}, t("talks")), rows, foot);

  async function read(cursor, signal) {
    const found = await call("GET", "conversations", { query: { limit: PAGE, cursor }, signal });
    return { rows: found.conversations.map(row), cursor: found.cursor };
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
      "li.talk",
      {},
      h("div.doc-main", {}, h("button.link.doc-name", { dir: "auto", "aria-current": isOpen(id) ? "true" : null, onclick: () => open(id) }, title), h("p.muted.small", {}, asked)),
      h("button.quiet.danger-text", { "aria-label": t("actionsFor", { action: t("forgetTalk"), name: title }), onclick: remove }, t("delete")),
    );
  }

  return { element, fold: () => (element.open = false) };
}
