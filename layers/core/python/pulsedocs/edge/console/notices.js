// What stands where something is awaited, and how a refusal is shown: what happened, what to do, and
// the id to ask about.

import { Latest } from "./api.js";
import { h } from "./dom.js";
import { saying, t } from "./words.js";

export function notice(error, again) {
  return h(
    "div.notice.error",
    { role: "alert" },
    h("strong", {}, t("problem")),
    h("p", {}, saying(error) || String(error)),
    h(
      "div.row",
      {},
      again ? h("button", { onclick: again }, t("tryAgain")) : null,
      error.requestId ? h("span.muted.small", {}, t("requestId", { id: error.requestId })) : null,
    ),
  );
}

export const loading = () => h("p.muted", {}, t("loading"));

/** Reads a list a page at a time: `read` gives rows and where the next begins, `told` is said below them. */
export function paged(rows, foot, read, told = () => "") {
  const reading = new Latest();
  let cursor = null;
  const tell = () => foot.replaceChildren(told(cursor), cursor ? h("button", { onclick: load }, t("more")) : "");

  async function load() {
    const isFirst = cursor === null;
    const signal = reading.next();
    foot.replaceChildren(loading());
    try {
      const found = await read(cursor, signal);
      if (isFirst) rows.replaceChildren();
      rows.append(...found.rows);
      cursor = found.cursor;
      if (!isFirst) found.rows[0]?.querySelector("button")?.focus();
      tell();
    } catch (error) {
      if (error.name !== "AbortError") foot.replaceChildren(notice(error, load));
    }
  }

  return { tell, reload: () => ((cursor = null), load()), stop: () => reading.end() };
}
