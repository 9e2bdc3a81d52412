// How a refusal is shown: what happened, what to do, and the id to ask about.

import { h } from "./dom.js";
import { saying, t } from "./words.js";

export function notice(error, again) {
  return h(
    "div",
    { class: "notice error", role: "alert" },
    h("strong", {}, t("problem")),
    h("p", {}, saying(error) || String(error)),
    h(
      "div",
      { class: "row" },
      again ? h("button", { onclick: again }, t("tryAgain")) : null,
      error.requestId ? h("span", { class: "muted small" }, t("requestId", { id: error.requestId })) : null,
    ),
  );
}
