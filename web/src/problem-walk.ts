// The way through the times with damage and with uncertain keys: the previous and the next one, and a list of the uncertain ones.

import type { Actions } from "./actions.js";
import { type Band, bandsOf, listed, problemsOf } from "./bands.js";
import { element, replace, time } from "./dom.js";
import { withKey } from "./shortcuts.js";
import { type State, type Store, shown } from "./store.js";
import { text } from "./strings.js";

/** The position is at a problem up to this many seconds before and after it. Positions are rounded. */
const REACH = 1e-3;

/** Builds the walk. It stays in the page, so that its list stays open. */
export function problemWalk(store: Store, actions: Actions): HTMLElement {
  const previous = element("button", { id: "problem-previous", onclick: () => actions.stepProblem(-1) }, "◂");
  const next = element("button", { id: "problem-next", onclick: () => actions.stepProblem(1) }, "▸");
  const place = element("span", { class: "place", role: "status" });
  const summary = element("summary");
  const list = element("ul", { class: "times" });
  const times = element("details", { id: "uncertain-times" }, summary, list);
  const host = element("div", { class: "problem-walk" }, element("div", { class: "row" }, previous, next, place), times);
  let problems: Band[] = [];

  const showPlace = ({ time: now }: State) => {
    // A long one may contain others. The one that began last is the one that a step has reached.
    const at = problems.findLastIndex(({ start, end }) => now >= start - REACH && now <= end + REACH);
    const band = problems[at];
    const [title = "", names = ""] = band ? [band.code || band.title, listed(band.names)] : [];
    const shownText = band
      ? [text("problemOf", { index: at + 1, count: problems.length }), title, names].filter(Boolean).join(" · ")
      : text("problems", { count: problems.length });
    if (place.textContent !== shownText) place.textContent = shownText;
  };
  store.watch((state) => [bandsOf(state), shown(state), state.language, state.panel], (state) => {
    if (state.panel !== "findings") return;
    problems = problemsOf(state);
    host.hidden = problems.length === 0;
    for (const [button, label] of [[previous, "previousProblem"], [next, "nextProblem"]] as const) {
      button.title = withKey(label);
      button.setAttribute("aria-label", text(label));
    }
    const uncertain = problems.filter(({ kind }) => kind === "uncertain");
    times.hidden = uncertain.length === 0;
    summary.textContent = text("uncertainTimes", { count: uncertain.length.toLocaleString(state.language) });
    replace(list, ...uncertain.map((band, index) =>
      element("li", {},
        element("button", { id: `uncertain-${index}`, onclick: () => actions.seek(band.start) }, time(band.start)),
        element("span", { title: band.names.join(", ") }, listed(band.names)))));
    showPlace(state);
  });
  store.watch((state) => [state.time], showPlace);
  return host;
}
