// The keyboard: every function of the transport, the timeline and the history.

import type { Actions } from "./actions.js";
import { type Store, endOf, shown } from "./store.js";

export function listen(store: Store, actions: Actions): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const isText = target.matches("input:not([type=checkbox]), select, textarea");
    if (isText || event.altKey || !shown(store.state)) return;
    const isButton = target.matches("button, input");
    const { time, inPoint, outPoint } = store.state;
    const duration = endOf(shown(store.state));
    const run = (action: () => void) => {
      event.preventDefault();
      action();
    };
    if (event.ctrlKey || event.metaKey) {
      const key = event.key.toLowerCase();
      if (key === "z") run(() => void (event.shiftKey ? actions.redo() : actions.undo()));
      if (key === "y") run(() => void actions.redo());
      if (key === "s") run(() => void actions.save("bin"));
      return;
    }
    const frame = event.shiftKey ? 1 : 1 / 60;
    switch (event.key) {
      case " ": if (!isButton) run(() => actions.togglePlay()); break;
      case "ArrowRight": run(() => actions.seek(time + frame)); break;
      case "ArrowLeft": run(() => actions.seek(time - frame)); break;
      case "Home": run(() => actions.seek(inPoint ?? 0)); break;
      case "End": run(() => actions.seek(outPoint ?? duration)); break;
      case ".": run(() => actions.stepKey(1)); break;
      case ",": run(() => actions.stepKey(-1)); break;
      case "i": run(() => actions.setIn(time)); break;
      case "o": run(() => actions.setOut(time)); break;
      case "x": run(() => store.update({ inPoint: null, outPoint: null })); break;
      case "t": run(() => void actions.trim()); break;
      case "m": run(() => store.update({ panel: "markers" })); break;
      case "+": run(() => actions.zoom(0.5, time)); break;
      case "-": run(() => actions.zoom(2, time)); break;
    }
  });
}
