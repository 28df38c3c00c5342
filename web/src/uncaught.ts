// Errors that no other code handles. The user sees each of them as a message.

let show = (error: unknown): void => {
  // The page is not complete yet, for example because the browser has no WebAssembly.
  const message = document.createElement("p");
  message.className = "message error";
  message.setAttribute("role", "alert");
  message.textContent = error instanceof Error ? error.message : String(error);
  document.body.append(message);
};

/** Sets the function that shows errors. */
export function showUncaughtWith(shown: (error: unknown) => void): void {
  show = shown;
}

addEventListener("unhandledrejection", (event) => show(event.reason));
addEventListener("error", (event) => {
  // Warnings of the browser are events without an error.
  if (event.error) show(event.error);
});

/** Builds a part of the page. If it fails, the user sees its error in its place, and the other parts work. */
export function part<T>(build: () => T, otherwise: (failed: HTMLElement) => T): T {
  try {
    return build();
  } catch (error) {
    reportError(error);
    const failed = document.createElement("p");
    failed.className = "error";
    failed.textContent = error instanceof Error ? error.message : String(error);
    return otherwise(failed);
  }
}
