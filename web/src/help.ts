// The help: keys and gestures.

import { element, replace } from "./dom.js";
import { SHORTCUTS, shownKey } from "./shortcuts.js";
import { text } from "./strings.js";

const GESTURES = ["gestureView", "gestureTimeline", "gesturePlot", "gestureDrop"];

/** Builds the dialog, and returns a function that opens it. */
export function helpDialog(): () => void {
  const dialog = element("dialog", { class: "help", "aria-labelledby": "help-title" });
  document.body.append(dialog);
  // A click on the backdrop is a click on the dialog itself, because its content covers it.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return () => {
    if (dialog.open) return;
    const rows = SHORTCUTS.map(({ label, keys }) =>
      element("tr", {},
        element("td", {}, ...keys.flatMap((key, index) => [index > 0 ? " " : "", element("kbd", {}, shownKey(key))])),
        element("td", {}, text(label))));
    replace(
      dialog,
      element("div", { class: "help-body", tabIndex: 0, role: "document", "aria-labelledby": "help-title" },
        element("h2", { id: "help-title" }, text("help")),
        element("h3", {}, text("gestures")),
        element("ul", {}, ...GESTURES.map((gesture) => element("li", {}, text(gesture)))),
        element("h3", {}, text("keyboard")),
        element("table", {},
          element("thead", {}, element("tr", {}, element("th", { scope: "col" }, text("key")), element("th", { scope: "col" }, text("action")))),
          element("tbody", {}, ...rows))),
      element("form", { method: "dialog" }, element("button", { id: "help-close", class: "primary", autofocus: true }, text("close"))),
    );
    dialog.showModal();
  };
}
