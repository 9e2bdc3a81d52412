// Charts as drawings of this page's own: bars for figures between 0 and 1, beside the table that says them.

import { h, scrolled, svg } from "./dom.js";
import { number } from "./words.js";

const HEIGHT = 150;
const ABOVE = 18;
const LEFT = 34;
const BAR = 22;
const GAP = 18;
const NAME = 34; // and a gap: what the name of a group needs
const share = (value) => number(value, { maximumFractionDigits: 2, minimumFractionDigits: 2 });
const down = (value) => ABOVE + HEIGHT * (1 - value);

/** Bars for each group, one for each series; `value(group, series)` is `{ mean, low, high }` or nothing. */
export function bars({ title, groups, series, value }) {
  const room = Math.max(series.length * BAR, NAME);
  const width = GAP + room;
  const total = LEFT + groups.length * width + GAP;
  const drawing = svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${total} ${HEIGHT + ABOVE + 26}`, role: "img", "aria-label": title },
    [0, 0.5, 1].map((level) => [
      svg("line", { class: "grid", x1: LEFT, x2: total, y1: down(level), y2: down(level) }),
      svg("text", { class: "tick", x: LEFT - 6, y: down(level) + 4, "text-anchor": "end" }, number(level)),
    ]),
    groups.map((group, at) => {
      const left = LEFT + GAP + at * width;
      return [
        series.map((each, which) => bar(left + (room - series.length * BAR) / 2 + which * BAR, which, value(group, each))),
        svg("text", { class: "tick", x: left + room / 2, y: HEIGHT + ABOVE + 18, "text-anchor": "middle" }, group),
      ];
    }),
  );
  Object.assign(drawing.style, { minWidth: `${total}px`, maxWidth: `${total * 1.4}px` });
  return h("figure", {}, h("figcaption", {}, title), legend(series), scrolled(title, drawing));
}

function bar(x, which, found) {
  if (!found) return [];
  const middle = x + BAR / 2 - 2;
  return [
    svg("rect", { class: `series-${which + 1}`, x, y: down(found.mean), width: BAR - 4, height: Math.max(1, HEIGHT * found.mean), rx: 3 }),
    svg("line", { class: "whisker", x1: middle, x2: middle, y1: down(found.low), y2: down(found.high) }),
    svg("text", { class: "value", x: middle, y: down(found.high) - 5, "text-anchor": "middle" }, share(found.mean)),
  ];
}

function legend(series) {
  return h("ul.bare.legend", {}, series.map((name, which) => h("li", {}, svg("svg", { viewBox: "0 0 10 10", class: "swatch", "aria-hidden": "true" }, svg("rect", { class: `series-${which + 1}`, width: 10, height: 10, rx: 2 })), name)));
}
